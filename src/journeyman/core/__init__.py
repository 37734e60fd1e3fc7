"""Values, protocols, events and errors: imports nothing of ours, and all else imports it."""
