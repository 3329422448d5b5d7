"""SLA reports: figures that are stored once per period, and the pages, emails, and files made from them."""
