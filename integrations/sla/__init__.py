"""Support: issues as GitHub tells them, the clocks that follow from them, and what becomes of a late answer.

Facts come in (`intake`, `reconcile`) and stay as they came; `fold` makes clocks of them and is pure; `sweep` finds
what is due; `process` is the due process of a standing. Nothing here is decided twice: a replay changes nothing.
"""
