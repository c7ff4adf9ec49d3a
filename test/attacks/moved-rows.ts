/** The reads of a tenant after a writer of the store has handed rows of other tenants to it by one UPDATE. */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sha256 } from '../../src/adapters/node/ids-and-hash.ts';
import { sqliteJournal } from '../../src/adapters/sqlite/sqlite-journal.ts';
import { type Ambit, Fault, type TenantRuntime } from '../../src/index.ts';
import { REQUEST } from '../runs/rig.ts';
import { buildSmallStore, laterRig } from '../store/small-store.ts';

type Read = (tenant: TenantRuntime<Ambit>) => Promise<unknown>;

/** The reads of a tenant that rows decide, and what they return of the runs of others. */
export const MOVED: readonly (readonly [name: string, sql: string, read: Read, returns: unknown])[] = [
  ...(
    [
      ['a run', (tenant) => tenant.sessions.get('run_1')],
      ['its trace', (tenant) => tenant.records.trace('run_1')],
      ['its frames', (tenant) => tenant.records.frames('run_1')],
      ['its transcripts', (tenant) => tenant.records.transcripts('run_1')],
    ] as readonly (readonly [string, Read])[]
  ).map(([name, read]) => [name, moveSession('run_1'), read, 'permission_denied'] as const),
  [
    'the list of runs',
    moveSession('run_1'),
    async (tenant) => (await tenant.sessions.list({})).map(({ runId }) => runId),
    ['run_4'],
  ],
  ['the inbox', moveGate('run_3'), async (tenant) => (await tenant.gates.list({})).groups, []],
  ['a gate', moveGate('run_3'), (tenant) => tenant.gates.get('gate_run_3_1'), 'permission_denied'],
];

function moveSession(run: string): string {
  return `update sessions set tenant_id = 'tenant_b' where session_id = '${run}'`;
}

function moveGate(run: string): string {
  return `update gates set tenant_id = 'tenant_b' where session_id = '${run}'`;
}

/** Reads a copy of the store as another tenant; the code of a fault is an answer too. */
export async function readMoved(folder: string, sql: string, read: Read): Promise<unknown> {
  const original = join(folder, 'original.db');
  const path = join(folder, `${crypto.randomUUID()}.db`);
  await ensureStore(original);
  copyFileSync(original, path);
  const db = new DatabaseSync(path);
  db.exec(sql);
  db.close();
  const journal = sqliteJournal({ path, hash: sha256 });
  const { runtime } = laterRig(journal, 'x');
  const identity = {
    ...(REQUEST['identity'] as Parameters<typeof runtime.within>[0]),
    tenant_id: 'tenant_b',
    actor: 'spy',
  };
  try {
    return await read(runtime.within(identity));
  } catch (error) {
    if (!Fault.is(error)) throw error;
    return error.code;
  } finally {
    await journal.close();
  }
}

const built = new Set<string>();

async function ensureStore(path: string): Promise<void> {
  if (built.has(path)) return;
  built.add(path);
  await buildSmallStore(path);
}
