curl -X POST http://127.0.0.1:8080/charges \
  -H "Content-Type: application/json" \
  -H "Authorization: Bearer sk_test_4eC39Hq" \
  -H 'Idempotency-Key: 7b2f' \
  -d '{"order":"A-17","amount":1999,"currency":"EUR","customer":{"name":"Jane Doe"},"note":"costs ${5}"}'
