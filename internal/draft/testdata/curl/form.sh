curl -sS https://localhost:8443/v1/payment_intents -u sk_test_x: -d amount=2000 -d currency=usd -d "metadata[order]=6735" -d order_id=6735 | jq .
