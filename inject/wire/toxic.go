package wire

import _ "github.com/Shopify/toxiproxy/v2" // for Toxics
