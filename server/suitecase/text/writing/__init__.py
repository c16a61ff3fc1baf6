"""The one way in which a file of a user is written: compared, replaced as a whole, and never through a link out."""
