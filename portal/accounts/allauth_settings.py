"""Settings of django-allauth that are the same in every installation."""

AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "dashboard:home"
ACCOUNT_ADAPTER = "portal.accounts.adapters.AccountAdapter"
SOCIALACCOUNT_ADAPTER = "portal.accounts.adapters.SocialAccountAdapter"
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_EMAIL_VERIFICATION = "mandatory"
ACCOUNT_EMAIL_VERIFICATION_BY_CODE_ENABLED = False
# Email scanners open all links.
ACCOUNT_CONFIRM_EMAIL_ON_GET = False
ACCOUNT_LOGIN_ON_EMAIL_CONFIRMATION = True
ACCOUNT_LOGOUT_ON_PASSWORD_CHANGE = False  # the session of the change continues; security_signals ends the others
ACCOUNT_REAUTHENTICATION_REQUIRED = True
# Pages don't reveal whether an address has an account. Only the email to the address does.
ACCOUNT_PREVENT_ENUMERATION = True
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = True
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_FORMS = {
    "login": "portal.accounts.forms.LoginForm",
    "signup": "portal.accounts.forms.SignupForm",
    "add_email": "portal.accounts.forms.AddEmailForm",
    "reset_password": "portal.accounts.forms.ResetPasswordForm",
    "reset_password_from_key": "portal.accounts.forms.ResetPasswordKeyForm",
    "change_password": "portal.accounts.forms.ChangePasswordForm",
    "set_password": "portal.accounts.forms.SetPasswordForm",
    "reauthenticate": "portal.accounts.forms.ReauthenticationPasswordForm",
}
# Only an address that the provider has verified leads to the account with the same address.
SOCIALACCOUNT_EMAIL_AUTHENTICATION = True
SOCIALACCOUNT_EMAIL_AUTHENTICATION_AUTO_CONNECT = True
SOCIALACCOUNT_FORMS = {"signup": "portal.accounts.forms.SocialSignupForm"}
MFA_ADAPTER = "portal.accounts.adapters.MFAAdapter"
MFA_FORMS = {
    "authenticate": "portal.accounts.forms.SecondFactorForm",
    "reauthenticate": "portal.accounts.forms.ReauthenticationCodeForm",
    "activate_totp": "portal.accounts.forms.ActivateTotpForm",
    "add_webauthn": "portal.accounts.forms.AddPasskeyForm",
    "edit_webauthn": "portal.accounts.forms.RenamePasskeyForm",
}
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
# A passkey with user verification replaces the password (decision 0061).
MFA_PASSKEY_LOGIN_ENABLED = True
USERSESSIONS_ADAPTER = "portal.accounts.adapters.UserSessionsAdapter"
MFA_TOTP_ISSUER = "Partner portal"
