"""Run task test: the portal acts as HCP Terraform and evaluates the partner's endpoint. No Django in most modules.

protocol          requests of the platform and their signatures
scenario          the requests in order
callback_parsing  results and their limits
callback_service  responses of the callback URL
callback_store    callbacks in the database
records           every exchange as plain data
driver            sends requests and waits for results
rules             the result of each rule
enforcement       the effect of results on a run
local_server      a callback URL for the command line
report            the report as text and as JSON
"""
