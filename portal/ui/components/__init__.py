"""UI components behind the tags of portal.ui.templatetags.components."""
