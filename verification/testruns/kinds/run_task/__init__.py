"""A run task rehearsal: the portal plays HCP Terraform and judges what the partner's endpoint does. No Django here.

protocol    what the platform sends, and how it signs it
script      which requests are made, in which order
callback    what a result that came back says, and against which limits
desk        what our callback address answers, and what it remembers
record      everything that was seen, as plain data
driver      makes the requests and waits for results
rules       the verdict of each rule;  judging holds what they share
enforcement what a run would do with these results
listener    a callback address of our own, for the command line
report      the whole as text and as JSON
"""
