$ curl http://[::1]:8080/api/transfers -H 'content-type: application/json' --data-binary @transfer.json -b 'session=abc; theme=dark'
