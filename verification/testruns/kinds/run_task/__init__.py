"""Run task test: the portal acts as HCP Terraform and evaluates the partner's endpoint."""
