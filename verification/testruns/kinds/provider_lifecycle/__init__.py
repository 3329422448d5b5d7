"""Provider acceptance test: Terraform creates, changes and destroys a provider's resources. No Django here.

config        the partner's input and its validation
redaction     removal of secrets in every form
records       every command as plain data
plan_parsing  Terraform's plan, reduced and without secrets
workspace     files and environment of Terraform
driver        runs the steps in the sandbox
rules         the result of each rule
worker        the sandbox job
report        the report as text and as JSON
"""
