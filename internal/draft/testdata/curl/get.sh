curl -G http://127.0.0.1:8080/charges -d order=17 --data-urlencode 'q=a b&c'
