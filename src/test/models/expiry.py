#!/usr/bin/env python3
"""A model of expiring cells: what crdt/Cell, crdt/Life and keyspace/Expiry do, with clocks, late and stale copies, restarts.

Every increment is a token of its own, and each shard carries its tokens, so that a number that is used twice is told
apart. Checked: no increment is hidden by a deadline that lay before it; none is reset unless it was deleted, or a node
that had it used the key again after its deadline, dropped it, or met a counter that lives on beside it; nothing that
ended is seen again, a reset and what follows it are seen together, all agree in the end, nothing dead stays. In
`sync_run` all nodes hear of everything at once, and must answer as one Redis does while stale copies come back at any
time. In `heal_run` a partition heals, and clients send INCR and EXPIRE as two commands: nothing may be left without a
deadline.

    python3 expiry.py 20           twenty seconds of each
    python3 expiry.py 5 variants   the same with each rule switched off: each must show violations in one of its lines

Without the two stricter rules, one run in some thousands shows what had ended everywhere: three nodes that were cut off
from each other had each begun the key, or two had, and a late copy came before its extension.
"""
import random, sys, time, itertools
INF=10**9
NOB=(INF,-INF)
NOTHING=(0,0)
NONE=(0,0,INF,NOB,NOTHING)   # number, version, deadline, first deadlines, number and version of what it has outlived
class Cfg:
    Y=2; G1=3; G2=3; S=0; N=3
    # Rules that can be switched off
    no_floor=False          # own shards begin at zero after a drop while others were out of reach
    no_over=False           # a copy of an earlier life is not ended before it is merged
    no_E=False              # dropped and refused by the deadline, not by the horizon
    no_youth=False          # an old counter without deadline is dropped like a young one
    own_entry_always=False  # a cell with resets is sent by its own shard alone
    lose_version=False      # what lives beyond an ended copy takes over that one's deadline
    takes_number=False      # what lives beyond an ended copy takes over that one's number and version
    sync_floor=False        # the floor is raised by every drop
    persist_keeps=False     # PERSIST does not note that copies without deadline exist
    no_first=False          # what is over has only missed an extension, whatever its first deadline
    end_resets=False        # a cell is reset when its deadline comes, not some grace later
    reset_ended=False       # of two that are over and were begun apart, the smaller is reset
    end_others=False        # what is over is reset for the node that sent it, where what lives here is not a part of it
    always_first=False      # what is over is reset before it is merged, though it was extended
    # Rules that are stricter than the product's
    exact=False             # every first deadline is remembered, not the interval from the earliest to the latest
    ignore_ended=False      # what is over and was begun apart is ignored where another is over, too
    ttl=True                # compare deadlines too
    def __init__(s,**k):
        for a,b in k.items():
            assert hasattr(Cfg,a),a
            setattr(s,a,b)
class Cell:
    __slots__=('sh','life','E','dels','und','b')
    def __init__(s): s.sh={}; s.life=NONE; s.E=-INF; s.dels=set(); s.und=-INF; s.b=frozenset()
    def undated(s): return s.life[2]==INF
    def copy(s):
        c=Cell(); c.sh=dict(s.sh); c.life=s.life; c.E=s.E; c.und=s.und; c.dels=set(s.dels); c.b=s.b; return c
class Violation(Exception): pass
def hull(a,b): return (min(a[0],b[0]),max(a[1],b[1]))
def related(a,b): return max(a[0],b[0])<=min(a[1],b[1])
def live(sh): return any(p>rp for p,rp,g in sh.values())
def expired(c,now): return c.life[2]<=now
def exceeds(a,b,now):
    if a[0]==b[0]: return (a[1],-1 if a[2]==INF else a[2])>(b[1],-1 if b[2]==INF else b[2])
    return (latest(a),-a[0])>(latest(b),-b[0]) if a[2]<=now and b[2]<=now else a[0]>b[0]
def latest(l): return max(l[:2],l[4])
def exists(c,now): return c is not None and not expired(c,now) and live(c.sh)
def mergesh(a,b):
    if a[0]==b[0] and a[2]!=b[2]: raise Violation('ambiguous: equal totals of different increments %s %s'%(a,b))
    x=a if a[0]>=b[0] else b
    return (x[0],max(a[1],b[1]),x[2])
class World:
    def __init__(w,cfg,rng):
        w.c=cfg; w.r=rng; w.t=0; w.ids=itertools.count(1); w.toks=itertools.count(1)
        w.pool=[]; w.trace=[]; w.deadtok=set(); w.ended=set(); w.taken=set(); w.again=set(); w.judged=set(); w.before={}; w.made={}; w.when={}; w.contact=False
        w.nodes=[Node(w,i) for i in range(cfg.N)]
    def log(w,*a): w.trace.append((w.t,)+a)
class Node:
    def __init__(n,w,i): n.w=w; n.i=i; n.off=0; n.cell=None; n.id=next(w.ids); n.F=0
    def now(n): return n.w.t+n.off
    def past(n,c,now,g):
        E=c.life[2] if n.w.c.no_E else c.E
        return not exists(c,now) and E!=-INF and E<INF and E+g<=now
    def settle(n,c,now):
        if c.undated() and c.E<INF and now-c.und>=n.w.c.Y and not n.w.c.no_youth: c.E=INF
    def drop(n):
        s=n.cell.sh.get(n.id)
        if s: n.w.taken.update(s[2][s[1]:s[0]])
        if s and (not n.w.contact or n.w.c.sync_floor): n.F=max(n.F,s[0])
        n.cell=None
    def sweep(n):
        c=n.cell
        if c is None: return
        n.settle(c,n.now())
        if n.past(c,n.now(),n.w.c.G2): n.drop()
    def age(n):
        n.sweep()
        if n.cell is not None and expired(n.cell,n.now()-(0 if n.w.c.end_resets else n.w.c.G2)): n.end(n.cell,others=n.w.c.end_resets)
    def end(n,c,by_deadline=True,others=False):
        for i in list(c.sh):
            p,rp,g=c.sh[i]
            if not others: n.w.taken.update(g[rp:p])
            if by_deadline: n.innocent(g[rp:p],c.life[2])
            c.sh[i]=(p,p,g)
    def judge(n,c):
        for p,rp,g in c.sh.values(): n.innocent(g[rp:p],c.life[2]); n.w.judged.update(g[rp:p])
    def innocent(n,toks,D):
        for t in toks:
            if t not in n.w.judged and t in n.w.when and n.w.when[t]>=D+n.w.c.S: raise Violation('hidden: %s, made at %s, ended by the deadline %s'%(t,n.w.when[t],D))
    def newlife(n,c,now): l=latest(c.life)[0]+1; c.life=(l,0,INF,NOB,NOTHING); c.b=frozenset(); c.und=now
    def touch(n):
        c=n.cell; now=n.now()
        if c is None: return None
        n.settle(c,now)
        if n.past(c,now,n.w.c.G2): n.drop(); return None
        if expired(c,now): n.end(c); n.newlife(c,now)
        return c
    def fresh(n,now):
        c=Cell(); c.und=now; n.cell=c; return c
    def own_add(n,c):
        w=n.w; f=0 if w.c.no_floor else n.F
        if n.id not in c.sh: c.sh[n.id]=(f,f,(0,)*f)
        p,rp,g=c.sh[n.id]
        t=next(w.toks); c.sh[n.id]=(p+1,rp,g+(t,)); w.made[t]=n.i; w.when[t]=n.now(); w.before[t]=set(c.dels)
        if t not in n.visible(): raise Violation('own increment not visible')
        return t
    def incr(n):
        now=n.now(); c=n.touch()
        if c is None: c=n.fresh(now)
        elif not live(c.sh) and (c.life!=NONE or c.E!=INF): n.newlife(c,now)
        return n.own_add(c)
    def expire(n,d,nx=False):
        now=n.now(); c=n.cell
        if not exists(c,now) or (nx and not c.undated()): return False
        n.settle(c,now); D=now+d; l,v,o,f,u=c.life
        if o!=INF and D>=o: c.life=(l,v,D,f,u)
        else: n.version(c,D)
        c.E=max(c.E,D); return True
    def version(n,c,D):
        l,v,o,f,u=c.life
        if f==NOB and D!=INF: f=(D,D); c.b=frozenset([D])
        v=max(v,u[1] if l==u[0] else 0)+1
        c.life=(l,v,D,f,u)
    def persist(n):
        now=n.now(); c=n.cell
        if not exists(c,now) or c.undated(): return False
        n.version(c,INF); c.E=INF
        return True
    def delete(n):
        now=n.now(); c=n.cell
        if not exists(c,now): return False
        n.settle(c,now); c.dels|=n.visible(); n.end(c,False)
        if c.undated() and c.E<INF: c.E=INF
        return True
    def set_(n,d=None):
        now=n.now(); c=n.touch()
        if c is None: c=n.fresh(now)
        else:
            c.dels|=n.visible(); n.end(c,False)
            if c.life!=NONE or c.E!=INF: n.newlife(c,now)
        t=n.own_add(c)
        if d is not None: n.expire(d)
        return t
    def message(n,whole=None):
        c=n.cell
        if c is None: return None
        n.settle(c,n.now()); m=c.copy(); 
        if whole is None: whole=(any(rp for p,rp,g in c.sh.values()) or (c.undated() and c.life!=NONE) or expired(c,n.now())) and not n.w.c.own_entry_always
        if not whole:
            m.sh={n.id:c.sh[n.id]} if n.id in c.sh else {}; m.dels=set()
        return (m,n.w.t,n.i,bool(whole),m.undated() and m.E<INF)
    def merge(n,msg):
        seen=n.visible(); changed=n.merge_now(msg)
        kept=set() if n.cell is None else {t for p,rp,g in n.cell.sh.values() for t in g[rp:p]}
        lost=seen-kept-n.w.taken
        if lost: raise Violation('lost: %s'%sorted(lost))
        return changed
    def merge_now(n,msg):
        cfg=n.w.c; now=n.now(); y=msg[0].copy(); before=n.snap()
        if n.past(y,now,cfg.G1): return False
        x=n.cell
        if x is not None:
            n.settle(x,now)
            if n.past(x,now,cfg.G1): n.drop(); x=None
        back=n.id in y.sh and y.sh[n.id][0]<=n.F and (x is None or n.id not in x.sh)
        if back and y.life[1]==0: y.sh[n.id]=(n.F+1,n.F+1,(0,)*(n.F+1)); back=False
        n.merge_known(x,y,now)
        if back and n.cell is not None and n.id in n.cell.sh:
            # The owner had dropped this, and counts it again, above all that it ever dropped: a reset of what it was
            # before does not reach that.
            p,rp,g=n.cell.sh[n.id]; n.w.again.update(g[rp:p]); n.cell.sh[n.id]=(p+n.F,rp+n.F,(0,)*n.F+g)
        return n.snap()!=before
    def merge_known(n,x,y,now):
        cfg=n.w.c
        if x is None:
            if y.E<INF: y.und=now
            n.cell=y; return
        y.und=max(y.und,x.und) if y.undated() and x.undated() else now
        if not y.undated(): n.settle(x,now)
        lo,hi=(y,x) if exceeds(x.life,y.life,now) else (x,y)
        same=lo.life[0]==hi.life[0]
        kin=related(lo.life[3],hi.life[3]) if not cfg.exact else bool(lo.b&hi.b)
        apart=same and (not kin and not cfg.no_first or cfg.always_first)
        both=expired(lo,now) and expired(hi,now)
        if both and apart and live(y.sh) and cfg.ignore_ended: return
        gone=expired(lo,now) and (not same and not cfg.no_over or apart and (not both or cfg.reset_ended))
        survives=expired(hi,now) and not expired(lo,now) and any(p>max(rp,hi.sh.get(i,(0,))[0]) for i,(p,rp,g) in lo.sh.items())
        ignored=live(y.sh) and (gone and lo is y or survives and hi is y) and not cfg.end_others
        if gone and not ignored: n.end(lo,others=lo is y or apart and both)
        elif survives and not ignored: n.end(hi,others=hi is y)
        elif both or expired(hi,now) and not survives:
            for c in lo,hi: n.judge(c)
        if not ignored:
            for i,s in y.sh.items(): x.sh[i]=mergesh(x.sh[i],s) if i in x.sh else s
            x.dels|=y.dels
        kept,left=(lo,hi) if survives and not cfg.lose_version else (hi,lo)
        joined=same and (not expired(left,now) or both or not apart)
        births,bs=(hull(kept.life[3],left.life[3]),kept.b|left.b) if joined else (kept.life[3],kept.b)
        met=max(x.life[4],y.life[4],hi.life[:2] if survives and not cfg.lose_version else NOTHING); number=met if cfg.takes_number and survives else kept.life[:2]
        x.life=number+(kept.life[2],births,met); x.b=bs
        x.E=max(x.E,y.E)
        if x.undated(): x.und=y.und if y.undated() else x.und
    def snap(n):
        c=n.cell
        return None if c is None else (tuple(sorted(c.sh.items())),c.life,c.E)
    def visible(n):
        c=n.cell
        if c is not None and expired(c,n.now()):
            for p,rp,g in c.sh.values(): n.innocent(g[rp:p],c.life[2])
        if not exists(c,n.now()): return set()
        return {t for p,rp,g in c.sh.values() for t in g[rp:]}
    def restart(n,m):
        n.cell=None; n.id=next(n.w.ids); n.F=0
        if m is not None: n.cell=m[0].copy(); n.cell.und=n.now() if n.cell.E<INF else -INF; n.sweep()
def check(w):
    vis=[n.visible() for n in w.nodes]
    for n,v in zip(w.nodes,vis):
        for t in v:
            if (w.before[t]-w.again)&v: raise Violation('I8: node %d sees %s beside what its maker had reset'%(n.i,t))
        if v&w.deadtok: raise Violation('revival at node %d of %s'%(n.i,sorted(v&w.deadtok)))
        if v&w.ended: raise Violation('ended everywhere, shown at node %d: %s'%(n.i,sorted(v&w.ended)))
    return vis
def flag_dead(w):
    tmin=min(n.now() for n in w.nodes); alive=set()
    def add(c):
        if max(c.life[2],c.E)+w.c.G1<=tmin: return
        for p,rp,g in c.sh.values(): alive.update(g[rp:])
    for n in w.nodes:
        if n.cell is not None: add(n.cell)
    for m in w.pool: add(m[0])
    return set(w.made)-alive
def flag_ended(w):
    """Tokens of which every copy is over, and every copy that it shares anything or any time with."""
    now=min(n.now() for n in w.nodes)
    copies=[c for c in [n.cell for n in w.nodes]+[m[0] for m in w.pool] if c is not None]
    toks=[{t for p,rp,g in c.sh.values() for t in g[rp:]} for c in copies]
    lives=[i for i,c in enumerate(copies) if not expired(c,now)]; reached=set(lives)
    while lives:
        l=lives.pop()
        for i,c in enumerate(copies):
            one=c.life[0]==copies[l].life[0] and bool(copies[l].b&c.b)
            if i not in reached and (one or toks[i]&toks[l]): reached.add(i); lives.append(i)
    alive=set().union(*[toks[i] for i in reached])
    return set().union(*toks)-alive
def fix(w,side=None):
    for _ in range(50):
        ch=False
        for a in w.nodes:
            for b in w.nodes:
                if a is not b and (side is None or side[a.i]==side[b.i]):
                    m=a.message(True)
                    if m is not None and b.merge(m): ch=True
        if not ch: return
    raise Violation('no fixpoint')
def finish(w):
    cfg=w.c
    for n in w.nodes: n.off=cfg.S
    for n in w.nodes: n.sweep()
    fix(w); vis=check(w)
    if any(v!=vis[0] for v in vis): raise Violation('diverged: %s'%[n.snap() for n in w.nodes])
    w.t=max([n.cell.E for n in w.nodes if n.cell and n.cell.E!=INF]+[w.t]+[n.cell.life[2] for n in w.nodes if n.cell and n.cell.life[2]!=INF])+cfg.G2+1
    for n in w.nodes: n.sweep()
    fix(w)
    for n in w.nodes:
        n.sweep()
        if n.cell is not None and n.cell.E!=INF and not exists(n.cell,n.now()): raise Violation('a dead cell stays: %s'%(n.snap(),))
    vis=check(w)
    if any(v!=vis[0] for v in vis): raise Violation('diverged at the end: %s'%vis)
def prune(w): w.pool=[m for m in w.pool if not (m[4] and w.t-m[1]>=w.c.Y)]
def async_run(cfg,seed,steps=40,ext=True,dels=True,holes=False):
    r=random.Random(seed); w=World(cfg,r)
    for n in w.nodes: n.off=r.randint(0,cfg.S)
    try:
        for _ in range(steps):
            k=r.random(); n=r.choice(w.nodes)
            def send(whole=None):
                m=n.message(whole)
                if m: w.pool.append(m)
            if k<.22: w.log('incr',n.i,n.incr()); send()
            elif k<.32: d=r.choice([1,2,4]); w.log('expire',n.i,d,n.expire(d,nx=(not ext) or r.random()<.3)); send()
            elif k<.35 and ext: w.log('persist',n.i,n.persist()); send()
            elif k<.39 and dels: w.log('del',n.i,n.delete()); send()
            elif k<.43 and dels: d=r.choice([None,1,3]); w.log('set',n.i,d,n.set_(d)); send()
            elif k<.58:
                w.t+=1
                for x in w.nodes: x.age()
                if not holes: prune(w)
                w.log('tick')
            elif k<.61:
                ms=[m for m in w.pool if m[2]==n.i and m[3]]+[None]
                m=r.choice(ms); n.restart(m); w.log('restart',n.i,m and (m[0].sh,m[0].life,m[0].E))
            elif k<.66: send(True)
            elif w.pool:
                m=r.choice(w.pool if r.random()<.5 else w.pool[-4:]); ch=n.merge(m); w.log('merge',n.i,m[0].sh,m[0].life,m[0].E,ch)
            check(w); w.deadtok|=flag_dead(w); w.ended|=flag_ended(w)
        finish(w)
    except Violation as v: return str(v),w.trace
    return None,w
def sync_run(cfg,seed,steps=40,holes=False):
    r=random.Random(seed); w=World(cfg,r); w.contact=True; ref=set(); refD=INF
    def bcast(n):
        m=n.message()
        if m is None: return
        w.pool.append(m)
        for x in w.nodes:
            if x is not n: x.merge(m)
        w.pool.append(n.message(True))
    try:
        for _ in range(steps):
            k=r.random(); n=r.choice(w.nodes)
            if refD<=w.t: ref=set(); refD=INF
            if k<.25: t=n.incr(); ref.add(t); w.log('incr',n.i,t); bcast(n)
            elif k<.37:
                d=r.choice([1,2,4,7]); ok=n.expire(d)
                if ok!=bool(ref): raise Violation('EXPIRE answered %s'%ok)
                if ref: refD=w.t+d
                if not holes: w.pool=[m for m in w.pool if not m[4]]
                w.log('expire',n.i,d); bcast(n)
            elif k<.40:
                ok=n.persist(); w.log('persist',n.i,ok)
                if ok!=(refD!=INF): raise Violation('PERSIST answered %s'%ok)
                if ok: refD=INF
                bcast(n)
            elif k<.44: n.delete(); ref=set(); refD=INF; w.log('del',n.i); bcast(n)
            elif k<.48:
                d=r.choice([None,1,3]); t=n.set_(d); ref={t}; refD=INF if d is None else w.t+d
                if not holes: w.pool=[m for m in w.pool if not m[4]]
                w.log('set',n.i,d,t); bcast(n)
            elif k<.68:
                w.t+=r.choice([1,1,1,3])
                for x in w.nodes: x.age()
                if not holes: prune(w)
                w.log('tick',w.t)
            elif k<.73 and w.pool:
                ms=[m for m in w.pool if m[3]]+[None]; m=r.choice(ms); n.restart(m); w.log('restart',n.i,m and (m[0].sh,m[0].life,m[0].E)); fix(w)
            elif w.pool: m=r.choice(w.pool); w.log('stale',n.i,m[0].sh,m[0].life,m[0].E); n.merge(m); fix(w)
            if refD<=w.t: ref=set(); refD=INF
            for x in w.nodes:
                v=x.visible()
                if w.c.ttl and v and x.cell.life[2]!=refD: raise Violation('ttl: node %d says %s, one Redis %s'%(x.i,x.cell.life,refD))
                if v!=ref: raise Violation('node %d sees %s, one Redis %s'%(x.i,sorted(v),sorted(ref)))
    except Violation as v: return str(v),w.trace
    return None,w
def heal_run(cfg,seed,steps=60):
    """Messages take less than a tick, and those between the sides of a partition are lost until it heals."""
    r=random.Random(seed); w=World(cfg,r); mode=r.choice(['NX','if the count is 1','each'])
    for n in w.nodes: n.off=r.randint(0,cfg.S)
    side=[r.randint(0,1) for n in w.nodes]; heal=r.randint(10,45); due=[[] for n in w.nodes]
    def send(n,whole=None):
        m=n.message(whole)
        if m: w.pool.append(m)
    def flush(n):
        for d in due[n.i]: w.log('expire',n.i,d,n.expire(d,nx=mode=='NX')); send(n)
        due[n.i]=[]
    def settle():
        for n in w.nodes: flush(n)
        fix(w,side); check(w)
    try:
        for step in range(steps):
            if step==heal: side=[0]*len(side); w.log('heal')
            k=r.random(); n=r.choice(w.nodes)
            if due[n.i] and k<.5: flush(n)
            elif k<.3:
                w.log('incr',n.i,n.incr()); send(n)
                if mode!='if the count is 1' or len(n.visible())==1: due[n.i].append(r.choice([1,2,4]))
            elif k<.45:
                settle(); w.pool=[]; w.t+=1
                for x in w.nodes: x.age()
                w.log('tick')
            elif k<.58: send(n,True)
            elif w.pool:
                m=r.choice(w.pool if r.random()<.5 else w.pool[-4:])
                if side[m[2]]==side[n.i]: w.log('merge',n.i,m[0].sh,m[0].life,m[0].E,n.merge(m))
            check(w); w.deadtok|=flag_dead(w); w.ended|=flag_ended(w)
        settle()
        for n in w.nodes:
            if exists(n.cell,n.now()) and n.cell.undated(): raise Violation('without a deadline: %s'%(n.snap(),))
        finish(w)
    except Violation as v: return str(v),w.trace
    return None,w
def campaign(name,f,cfg,secs,show=1,**k):
    t0=time.time(); n=0; bad={}; first={}
    while time.time()-t0<secs:
        res,x=f(cfg,n,**k); n+=1
        if res:
            key=res.split(':')[0].split(' of ')[0].split(' at node')[0][:60]
            if key.startswith('node'): key='differs from one Redis'
            bad[key]=bad.get(key,0)+1
            if key not in first or len(x)<len(first[key][1]): first[key]=(res,x,n-1)
    print('%-46s runs %7d  violations %s'%(name,n,bad or 'none'),flush=True)
    if show:
        for kk,(res,tr,seed) in first.items():
            print('   ',seed,res)
            for t in tr: print('      ',t)
    return bad
if __name__=='__main__':
    S=float(sys.argv[1]) if len(sys.argv)>1 else 5
    campaign('sync, stale copies',sync_run,Cfg(),S)
    campaign('async',async_run,Cfg(),S)
    campaign('async, clocks differ by 1',async_run,Cfg(S=1,G2=5),S)
    strict=dict(exact=True,ignore_ended=True)
    campaign('async, strict',async_run,Cfg(**strict),S)
    campaign('async, clocks differ by 1, strict',async_run,Cfg(S=1,G2=5,**strict),S)
    campaign('healing, strict',heal_run,Cfg(**strict),S)
    campaign('healing, clocks differ by 1, strict',heal_run,Cfg(S=1,G2=5,**strict),S)
    if 'variants' in sys.argv:
        for v in ['no_floor','no_over','no_E','lose_version','takes_number','own_entry_always','no_first','always_first','end_others','end_resets','reset_ended']:
            campaign('sync '+v,sync_run,Cfg(**{v:True}),S,show=0,steps=60)
            campaign('async '+v,async_run,Cfg(**{v:True}),S,show=0,steps=60)
            campaign('async, clocks differ by 1, '+v,async_run,Cfg(S=1,G2=5,**{v:True}),S,show=0,steps=60)
            campaign('healing, strict, '+v,heal_run,Cfg(**strict,**{v:True}),S,show=0)
