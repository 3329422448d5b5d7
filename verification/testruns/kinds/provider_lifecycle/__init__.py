"""A lifecycle rehearsal: a provider's objects made, changed and destroyed by Terraform, and a verdict for each rule.

No Django here.

given       what the partner supplies: configurations and an environment; what of it is fit
secrets     what must not be seen, in every form that it may take, and where it was seen nevertheless
record      everything that was seen, as plain data
plans       what Terraform's plan says, made small and without secrets
room        the files that Terraform needs, and the command lines
driver      plays the steps in a sandbox
rules       the verdict of each rule;  beginning, changing, ending and keeping find what is true
job         what the sandbox's process does when it is asked for one
report      the whole as text and as JSON
"""
