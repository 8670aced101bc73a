curl 'https://staging.shop.example/api/orders' \
  -H 'accept: application/json' -H 'user-agent: Mozilla/5.0' -H 'x-api-key: k-123' -H 'cookie: sid=1' -H 'x-csrf-token: csrf-55' \
  --data-raw $'{"order_number":"N\'1","items":[{"sku":"A","n":1},{"sku":"B","n":2}],"idempotency_key":"k","comment":"two\\nlines"}' --insecure
