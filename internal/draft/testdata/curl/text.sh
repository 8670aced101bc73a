curl -H 'Content-Type: application/xml' http://127.0.0.1:8080/soap -d '<pay order="1">${x} $${y}</pay>'
