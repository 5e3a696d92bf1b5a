import subprocess, sys
from tests.factories import *
def test_it(server):
    p=make_project(); a=make_agent(p); 
    for i in range(3): make_fact(p,f"Refunds take {i} days.",agent=a,importance=i/10)
    _,k=make_key(p); _,no=make_key(p,["agent:write","traces:write"])
    r=subprocess.run([sys.executable,"/work/shared/checks/fa_client_check.py","--target",server.url,"--key",k,"--agent","support","--no-access-key",no],capture_output=True,text=True,timeout=200)
    print(r.stdout[-9000:],r.stderr[-3000:]); print(server.said()[-1500:]); assert r.returncode==0
