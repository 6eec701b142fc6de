/** Errors of the core know nothing of HTTP; this table translates their codes. */
const STATUS = {
  'bad-input': 400,
  'unknown-article': 404,
  'unknown-order': 404,
  'not-enough': 409,
  'too-large': 413,
  'already-shipped': 423,
};

/** The status for an error; everything we did not expect is a 500. */
export function statusOf(error) {
  return STATUS[error.code] ?? 500;
}
