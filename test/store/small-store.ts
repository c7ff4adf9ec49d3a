/** A small store that has a row in every table, and everything that the product can read of a store. */
import { memoryJournal } from '../../src/adapters/memory/memory-journal.ts';
import { sha256 } from '../../src/adapters/node/ids-and-hash.ts';
import { sqliteJournal } from '../../src/adapters/sqlite/sqlite-journal.ts';
import { storeTools } from '../../src/compose.ts';
import { Fault } from '../../src/model/fault/fault.ts';
import { GATE_MODE_APPROVAL } from '../../src/model/gate/gate.ts';
import type { Ids } from '../../src/ports/clock.ts';
import type { Journal } from '../../src/ports/journal/journal.ts';
import type { KeyPair } from '../../src/ports/keys.ts';
import { operator, planOf, REQUEST, type Rig, type RigOptions, rig, START_MS } from '../runs/rig.ts';

const HOUR_MS = 3_600_000;

const PAYING: RigOptions['tools'] = {
  pay: {
    approval_mode: 'network',
    side_effect: true,
    gates: [GATE_MODE_APPROVAL],
    produces: ['done'],
    cost: { input_tokens: 0, output_tokens: 0, microusd: 400 },
    execute: () => ({ receipt: 'r'.repeat(5_000) }),
  },
};

/** A rig whose runs pay these people, one per run. */
const payingRig = (journal: Journal, to: readonly string[], ids?: Ids): Rig =>
  rig({
    tools: PAYING,
    plans: to.map((name, place) =>
      planOf([{ id: 's1', tool: 'pay', params: { to: name }, requires: [GATE_MODE_APPROVAL] }], {
        plan_id: `plan_${place}`,
      }),
    ),
    world: { journal, ...(ids === undefined ? {} : { ids }) },
  });

/** A rig over a store that has runs already, for one more run. */
export function laterRig(journal: Journal, to: string): Rig {
  let count = 0;
  const next = (kind: string): string => {
    count += 1;
    return `${kind}_later_${count}`;
  };
  return payingRig(journal, [to], { next });
}

async function approveFirst({ runtime, settle }: Rig, gateId: string, packetHash: string): Promise<void> {
  await settle(runtime.approve(gateId, { packetHash, credential: operator('ana'), reason: 'fine' }));
}

/** Records grants, uses of them, refusals, and a kill switch that is thrown again after it was lifted. */
async function decide({ runtime, journal }: Rig): Promise<void> {
  const terms = {
    grant_id: 'grant_1',
    tenant_id: 'tenant_a',
    tool: 'pay',
    arguments: { to: { prefix: 'team_' } },
    uses_max: 3,
    microusd_max: 2_000,
    reason: 'small payments',
    expires_at: START_MS + HOUR_MS,
  };
  await runtime.grants.give(terms, operator('lead_1'));
  await runtime.grants.give({ ...terms, grant_id: 'grant_2' }, operator('lead_1'));
  await runtime.grants.revoke('grant_2', 'not needed', operator('lead_1'));
  await journal.noteRefusedGrant({
    tenant_id: 'tenant_a',
    grant_id: 'grant_3',
    act: 'give',
    claimed_by: 'eve',
    code: 'credential_unknown',
    message: 'the credential is unknown',
    at: START_MS,
  });
  const act = { by: 'ana', reason: 'wrong account' };
  const switchId = await runtime.killSwitches.throw({ scope: { tool: 'refund' }, ...act });
  const refused = {
    claimed_by: 'eve',
    reason: 'please',
    at: START_MS,
    code: 'credential_unknown',
    message: 'no',
  } as const;
  await journal.noteRefusedLift(switchId, refused);
  await runtime.killSwitches.lift({ switchId, by: 'ben', reason: 'repaired' });
  await runtime.killSwitches.throw({ scope: { tenant: 'tenant_z' }, ...act });
}

/** Builds the store; with a key, its permissions are signed. */
export async function buildSmallStore(path: string, anchorKey?: KeyPair): Promise<void> {
  const signing = anchorKey === undefined ? {} : { anchorKey };
  const journal = sqliteJournal({ path, hash: sha256, ...signing });
  const bench = payingRig(journal, ['team_1', 'bo', 'cy', 'old']);
  await decide(bench);
  await bench.invoke({ thread: 'th_1' });
  const approved = await bench.invoke();
  await approveFirst(bench, approved.pending[0]?.gateId ?? '', approved.pending[0]?.packetHash ?? '');
  await bench.invoke({ thread: 'th_2' });
  const tenant = { tenant_id: 'tenant_b', identity: { ...(REQUEST['identity'] as object), tenant_id: 'tenant_b' } };
  const old = await bench.invoke(tenant);
  await approveFirst(bench, old.pending[0]?.gateId ?? '', old.pending[0]?.packetHash ?? '');
  const elsewhere = rig({
    tools: { look: { produces: ['done'] } },
    plans: [planOf([{ id: 'l', tool: 'look' }])],
    world: { ids: { next: (kind) => `${kind}_far` }, journal: memoryJournal({ hash: sha256 }) },
  });
  const far = await elsewhere.invoke();
  await bench.runtime.records.import(await elsewhere.runtime.records.export(far.runId));
  await journal.close();
  const pruning = { tenant: 'tenant_b', olderThanMs: 0, now: START_MS + HOUR_MS, reason: 'asked for' };
  storeTools.prune(path, { ...pruning, ...(anchorKey === undefined ? {} : { key: anchorKey }) });
}

/** The answer of one read: its value, or the code of its fault. A raw error is not an answer. */
async function answer(read: () => Promise<unknown>): Promise<string> {
  try {
    return JSON.stringify(await read());
  } catch (error) {
    if (Fault.is(error)) return `fault ${error.code}`;
    throw error;
  }
}

export type Answers = ReadonlyMap<string, string>;

/** Reads everything that a journal offers. `known` names the sessions and texts to ask for. */
export async function readEverything(path: string, known: Known): Promise<Answers> {
  let journal: Journal;
  try {
    journal = sqliteJournal({ path, hash: sha256 });
  } catch (error) {
    if (Fault.is(error)) return new Map([['open', `fault ${error.code}`]]);
    throw error;
  }
  const reads: [string, () => Promise<unknown>][] = [
    ['sessions', () => journal.list({})],
    ['threads', () => journal.threads({})],
    ['gates', () => journal.gates({})],
    ['grants', () => journal.standingGrants()],
    ['uses', () => journal.standingUses('grant_1')],
    ['refused grants', () => journal.refusedGrants()],
    ['kill switches', () => journal.killSwitches()],
    ['thread', () => journal.threadSessions('tenant_a', 'th_1')],
  ];
  for (const session of known.sessions) {
    reads.push([`first ${session}`, () => journal.first(session)]);
    reads.push([`load ${session}`, () => journal.load(session)]);
    reads.push([`effects ${session}`, () => journal.effects(session)]);
    reads.push([`checkpoint ${session}`, () => journal.latestCheckpoint(session)]);
    reads.push([`checkpoint text ${session}`, () => journal.checkpoint(`ck_${session}_1`)]);
    reads.push([`import ${session}`, () => journal.checkpoint(`imported_${session}`)]);
  }
  for (const address of known.texts) reads.push([`text ${address}`, () => journal.blob(address)]);
  const answers = new Map<string, string>();
  for (const [name, read] of reads) answers.set(name, await answer(read));
  await journal.close();
  return answers;
}

export interface Known {
  readonly sessions: readonly string[];
  readonly texts: readonly `sha256:${string}`[];
}
