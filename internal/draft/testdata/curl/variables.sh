curl "$BASE_URL/orders/17/refunds?notify=true" --json '{"reference": "r-1", "amount": 5.50}' -H "Authorization: Bearer ${API_TOKEN}"
