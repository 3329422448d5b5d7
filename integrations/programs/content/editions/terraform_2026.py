"""Who is asked about the Terraform programs since 2026?"""

MAILBOX = "hashicorp-tech-partners@wwpdl.vnet.ibm.com"
MANAGER = "HashiCorp-IBM Product Partnerships Manager"
