"""Settings. Change them here, nowhere else."""

SMTP_HOST = "mail.example.com"
SMTP_PORT = 587
SENDER = "news@example.com"

# One mail server lets us send this many mails a minute.
MAILS_PER_MINUTE = 120

# A delivery is tried once and then again up to RETRIES times.
RETRIES = 3
RETRY_WAIT_SECONDS = 90

# An address that bounced this often gets no more mail.
BOUNCE_LIMIT = 5
