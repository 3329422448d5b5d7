"""What are the pages made of? The parts behind the tags of portal.ui.templatetags.components."""
