"""What people see of the promises about issues: the dashboard, one issue, trends, and a company's own settings."""
