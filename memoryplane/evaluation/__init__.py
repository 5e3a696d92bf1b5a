"""How good recall is, measured on data of yours: ``manage.py evaluate``."""
