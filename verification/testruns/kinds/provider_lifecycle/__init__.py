"""Provider acceptance test: Terraform creates, changes, and destroys a provider's resources."""
