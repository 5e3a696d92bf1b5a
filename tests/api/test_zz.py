exec(open("/tmp/con.py").read())
from tests.api.test_routes import *
