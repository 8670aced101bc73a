curl http://127.0.0.1:8080/pay -d 'idempotency_key=x&invoice=7&amount=5&client_secret=s3&token='$TOKEN
