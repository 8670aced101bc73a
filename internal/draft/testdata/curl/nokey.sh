curl --request=PUT 127.0.0.1:8080/carts/5/lines --data-raw '{"sku":"A-1","n":2}' -kL --compressed
