"""Models of the parts of GitHub's JSON about issues that the portal reads.

A validation error means that the JSON doesn't match GitHub's documentation. Texts lose the characters that databases
reject and what exceeds a column's length.
"""

from datetime import UTC, datetime
from typing import Annotated, Self

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    model_validator,
)

from portal.core.json_text import clean_string


def _clean_text(value: object) -> object:
    """Clean a text, and replace None with an empty one. Other values are refused later."""
    if value is None:
        return ""
    return clean_string(value) if isinstance(value, str) else value


def _limit(length: int) -> AfterValidator:
    return AfterValidator(lambda text: text[:length])


def _convert_to_utc(timestamp: datetime) -> datetime:
    try:
        return timestamp.astimezone(UTC)
    except OverflowError as error:
        raise ValueError("the time has no equivalent in UTC") from error


# Database columns have 64 bits with a sign. Strict, because true and "1" aren't numbers.
Number = Annotated[int, Field(strict=True, ge=0, lt=2**63)]
Timestamp = Annotated[AwareDatetime, AfterValidator(_convert_to_utc)]
CleanText = Annotated[str, BeforeValidator(_clean_text)]
# GitHub's own limit for the text of an issue or a comment.
Text = Annotated[CleanText, _limit(65_536)]
Url = Annotated[Text, _limit(400)]
Title = Annotated[Text, _limit(300)]
Name = Annotated[Text, _limit(100)]
Keyword = Annotated[Text, _limit(20)]
IssueNumber = Annotated[int, Field(strict=True, ge=0, lt=2**31)]  # its column has 32 bits


class GitHubModel(BaseModel):
    model_config = ConfigDict(frozen=True)


class GitHubUser(GitHubModel):
    id: Number
    login: Name
    type: Keyword = "User"


class GitHubLabel(GitHubModel):
    name: Name


class GitHubIssue(GitHubModel):
    """Issue or pull request."""

    id: Number
    number: IssueNumber
    title: Title
    body: Text = ""
    repository_url: Url = ""
    # null in GitHub's schema, for example for a deleted account.
    user: GitHubUser | None = None
    author_association: Annotated[Text, _limit(30)] = "NONE"
    created_at: Timestamp
    updated_at: Timestamp
    closed_at: Timestamp | None = None
    state_reason: Text = ""
    pull_request: object = None


class GitHubComment(GitHubModel):
    """Comment of an issue."""

    id: Number
    body: Text = ""
    html_url: Url = ""
    issue_url: Annotated[Url, StringConstraints(pattern=r"/\d+$")] = ""
    user: GitHubUser | None = None
    author_association: Annotated[Text, _limit(30)] = "NONE"
    created_at: Timestamp
    updated_at: Timestamp

    @property
    def issue_number(self) -> int:
        return int(self.issue_url.rpartition("/")[2])


class GitHubChange(GitHubModel):
    """Change of an issue, with the label that was added or removed."""

    label: GitHubLabel | None = None

    def require_label(self, action: str) -> Self:
        # Without its label, a change of the severity would go unnoticed.
        if action in ("labeled", "unlabeled") and self.label is None:
            raise ValueError("the label is missing")
        return self


class GitHubIssueEvent(GitHubChange):
    """Entry of an event list. Only lists of a repository contain the issue."""

    id: Number
    event: Text
    actor: GitHubUser | None = None
    created_at: Timestamp
    state_reason: Text = ""
    commit_id: Annotated[Text, _limit(64)] = ""
    issue: GitHubIssue | None = None

    @model_validator(mode="after")
    def validate_event(self) -> Self:
        return self.require_label(self.event)


class IssueWebhook(GitHubChange):
    """Payload of an `issues` webhook."""

    action: str
    issue: GitHubIssue
    sender: GitHubUser | None = None

    @model_validator(mode="after")
    def validate_action(self) -> Self:
        # The time of the closure can stop a clock, so it can't be guessed.
        if self.action == "closed" and self.issue.closed_at is None:
            raise ValueError("the time of the closure is missing")
        return self.require_label(self.action)


class CommentWebhook(GitHubModel):
    """Payload of an `issue_comment` webhook."""

    action: str
    issue: GitHubIssue
    comment: GitHubComment
    sender: GitHubUser | None = None


class HookDelivery(GitHubModel):
    """Entry of the list of webhook deliveries."""

    id: Number
    guid: str
    status_code: int
    delivered_at: Timestamp


class RepositoryIdentity(GitHubModel):
    """Number and current name of a repository, and whether the public can't see it."""

    id: Number
    full_name: str
    private: bool
