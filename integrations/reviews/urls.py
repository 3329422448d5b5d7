"""URLs of the reviews app."""

from django.urls import path

from integrations.reviews.views import (
    agreements,
    conflicts,
    edition_migration,
    findings,
    partners,
    queue,
    queue_actions,
    rebalancing,
    review,
    transitions,
)

app_name = "reviews"
urlpatterns = [
    path("agreements/", agreements.list_agreements, name="agreements"),
    path("integrations/<uuid:uuid>/conflicts/", conflicts.change_conflict, name="change_conflict"),
    path("integrations/<uuid:uuid>/findings/verify/", findings.verify_findings, name="verify_findings"),
    path("integrations/<uuid:uuid>/findings/templates/", findings.apply_templates, name="apply_templates"),
    path("findings/<int:pk>/verify/", findings.verify_finding, name="verify_finding"),
    path("findings/<int:pk>/reopen/", findings.reopen_finding, name="reopen_finding"),
    path("findings/<int:pk>/edit/", findings.edit_finding, name="edit_finding"),
    path("findings/<int:pk>/withdraw/", findings.withdraw_finding, name="withdraw_finding"),
    path("findings/<int:pk>/reply/", findings.reply_to_finding, name="reply_to_finding"),
    path("companies/", partners.list_partners, name="partners"),
    path("companies/<slug:slug>/", partners.show_partner, name="partner"),
    path("companies/<slug:slug>/decision/", partners.decide_on_partner, name="decide_on_partner"),
    path("companies/<slug:slug>/owner/", partners.appoint_owner, name="appoint_owner"),
    path("companies/<slug:slug>/merge/", partners.merge_partner, name="merge_partner"),
    path("queue/", queue.show_queue, name="queue"),
    path("queue/profile/", queue.edit_profile, name="profile"),
    path("integrations/<uuid:uuid>/claim/", queue.claim_review, name="claim"),
    path("integrations/<uuid:uuid>/claim/renew/", queue.renew_claim, name="renew_claim"),
    path("integrations/<uuid:uuid>/claim/release/", queue.release_claim, name="release_claim"),
    path("integrations/<uuid:uuid>/assign/", queue.assign_reviewer, name="assign_reviewer"),
    path("queue/action/", queue_actions.perform_queue_action, name="queue_action"),
    path("queue/rebalance/", rebalancing.rebalance, name="rebalance"),
    path("queue/reviewers/<int:pk>/absence/", rebalancing.edit_absence, name="absence"),
    path("integrations/<uuid:uuid>/review/", review.show_review, name="review"),
    path("integrations/<uuid:uuid>/presence/", review.show_presence, name="presence"),
    path("integrations/<uuid:uuid>/mark-read/", review.mark_read, name="mark_read"),
    path("integrations/<uuid:uuid>/findings/", review.raise_finding, name="raise_finding"),
    path("integrations/<uuid:uuid>/messages/", review.post_message, name="post_message"),
    path("findings/<int:pk>/fix/", review.answer_finding, name="answer_finding"),
    path(
        "integrations/<uuid:uuid>/transitions/<slug:transition_name>/", transitions.show_transition, name="transition"
    ),
    path("integrations/<uuid:uuid>/edition/", edition_migration.migrate_edition, name="migrate_edition"),
]
