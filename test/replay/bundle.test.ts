/**
 * A run exported to one file: it replays after an import, alterations are detected, and an imported run cannot
 * continue.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { memoryJournal } from '../../src/adapters/memory/memory-journal.ts';
import { sha256 } from '../../src/adapters/node/ids-and-hash.ts';
import { sqliteJournal } from '../../src/adapters/sqlite/sqlite-journal.ts';
import { ambit } from '../../src/compose.ts';
import { parseAgent } from '../../src/model/run/agent.ts';
import type { Journal } from '../../src/ports/journal/journal.ts';
import { runOutcome } from '../../src/session/outcome.ts';
import { scriptedPlanner } from '../../src/testing/scripted-planner.ts';
import { simulatedClock } from '../../src/testing/simulated-clock.ts';
import { agentFor, operator, planOf, type Rig, type RigOptions, rig, START_MS, toolSpec } from '../runs/rig.ts';

const folder = mkdtempSync(join(tmpdir(), 'ambit-bundle-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const OPTIONS: RigOptions = {
  tools: {
    look: { execute: () => ({ total: 42, text: 'y'.repeat(150_000) }) },
    pay: { approval_mode: 'destructive', gates: ['GATE_FINANCE'], side_effect: true, produces: ['done'] },
  },
  plans: [
    planOf([
      { id: 'a', tool: 'look' },
      { id: 'b', tool: 'pay', requires: ['GATE_FINANCE'], depends_on: ['a'] },
    ]),
  ],
  options: { limits: { gateTtlMs: 123_456 } },
};

/** An unrelated agent with other tools, another graph and other limits. */
const ELSEWHERE: RigOptions = {
  tools: { other: { produces: ['done'] } },
  options: { graph: 'supervised' },
};

async function waiting(): Promise<{
  readonly bench: Rig;
  readonly runId: string;
  readonly gateId: string;
  readonly packetHash: string;
}> {
  const bench = rig(OPTIONS);
  const { runId, pending } = await bench.invoke();
  const { gateId = '', packetHash = '' } = pending[0] ?? {};
  return { bench, runId, gateId, packetHash };
}

async function ended(): Promise<{ readonly bench: Rig; readonly runId: string; readonly file: Uint8Array }> {
  const { bench, runId, gateId, packetHash } = await waiting();
  await bench.settle(bench.runtime.approve(gateId, { packetHash, credential: operator('ana'), reason: 'fine' }));
  return { bench, runId, file: await bench.runtime.records.export(runId) };
}

const stores: readonly (readonly [string, () => Journal])[] = [
  ['memory', () => memoryJournal({ hash: sha256 })],
  ['SQLite', () => sqliteJournal({ path: join(folder, `${stores.length}.db`), hash: sha256 })],
];

for (const [name, journal] of stores) {
  test(`replays to the same bytes in another store (${name}), under another agent`, async () => {
    const { bench, runId, file } = await ended();
    const there = rig({ ...ELSEWHERE, world: { journal: journal() } });
    expect(await there.runtime.records.import(file)).toEqual({
      runId,
      tenantId: 'tenant_a',
      agent: 'worker',
      frames: 5,
      exportedAt: bench.clock.nowMs(),
      lanes: [],
      wasHere: false,
      proofs: {
        checked: 1,
        unproven: [expect.objectContaining({ event: 'gate_decided', cause: 'unsigned' })],
        altered: [],
      },
    });
    expect(await there.runtime.records.frames(runId)).toEqual(await bench.runtime.records.frames(runId));
    const [original, again] = [await bench.runtime.records.replay(runId), await there.runtime.records.replay(runId)];
    expect(again.turns.map(({ events }) => JSON.stringify(events))).toEqual(
      original.turns.map(({ events }) => JSON.stringify(events)),
    );
    expect(runOutcome(again.state)).toEqual(runOutcome(original.state));
    expect(await there.runtime.records.trace(runId)).toEqual(await bench.runtime.records.trace(runId));
    expect(await there.runtime.records.account(runId)).toBe(await bench.runtime.records.account(runId));
    expect((await there.runtime.records.verify()).damaged).toEqual([]);
    const [call] = (await there.runtime.records.trace(runId)).tool_calls;
    expect((await there.runtime.records.observation(runId, call?.observation ?? '')).raw).toMatchObject({ total: 42 });
    expect(there.dispatches).toEqual([]);
    // An import can be exported again, unchanged.
    const third = rig({ ...ELSEWHERE, world: { journal: memoryJournal({ hash: sha256 }) } });
    await third.runtime.records.import(await there.runtime.records.export(runId));
    expect(await third.runtime.records.trace(runId)).toEqual(await bench.runtime.records.trace(runId));
    await there.runtime.close();
  });
}

const named = (name: string) => ({
  spec: parseAgent({ ...agentFor(['other']), name }),
  tools: [{ spec: toolSpec('other', { produces: ['done'] }), execute: () => ({ ok: true }) }],
  planner: scriptedPlanner([]),
  decisions: [],
});

test('reports the outcome of an imported run, also with several agents that do not include its own', async () => {
  const { bench, runId, file } = await ended();
  const original = await bench.runtime.sessions.get(runId);
  const alone = rig(ELSEWHERE);
  await alone.runtime.records.import(file);
  expect(await alone.runtime.sessions.get(runId)).toEqual(original);
  const clock = simulatedClock(START_MS);
  const several = ambit({ agents: [named('first'), named('second')], world: { clock, timer: clock } });
  await several.records.import(file);
  expect(await several.sessions.get(runId)).toEqual(original);
  expect(await several.records.trace(runId)).toEqual(await bench.runtime.records.trace(runId));
  await expect(several.sessions.get('run_none')).rejects.toMatchObject({ code: 'session_not_found' });
});

test('marks an imported run and stores it once, however often it is imported', async () => {
  const { bench, runId, file } = await ended();
  const there = rig(ELSEWHERE);
  await there.runtime.records.import(file);
  expect(await there.runtime.records.import(file)).toMatchObject({ runId, wasHere: true });
  expect(await there.runtime.sessions.list()).toHaveLength(1);
  expect(await there.runtime.records.imported(runId)).toMatchObject({
    run_id: runId,
    agent: 'worker',
    bundle: expect.any(String),
  });
  expect(await bench.runtime.records.imported(runId)).toBeNull();
  const other = rig({ ...OPTIONS, plans: [] });
  await other.invoke();
  await expect(other.runtime.records.import(file)).rejects.toMatchObject({
    code: 'input_invalid',
    message: expect.stringContaining('a different run run_1'),
  });
});

test('an imported run that waits opens no gates, and every decision on it is refused', async () => {
  const { bench, runId, gateId, packetHash } = await waiting();
  const there = rig({ ...OPTIONS, plans: [] });
  await there.runtime.records.import(await bench.runtime.records.export(runId));
  const before = await there.runtime.records.frames(runId);
  expect((await there.runtime.records.replay(runId)).state.session.status).toBe('awaiting_gate');
  expect(await there.runtime.gates.list()).toMatchObject({ groups: [] });
  // The gate expires in the store that drives the run and sets no timer in the other.
  expect(await bench.journal.list({ session: runId })).toMatchObject([{ wake_at: expect.any(Number) }]);
  expect(await there.journal.list({ session: runId })).toMatchObject([{ wake_at: null }]);
  await expect(there.runtime.resume(runId)).rejects.toMatchObject({
    code: 'state_write_refused',
    message: expect.stringContaining('was imported'),
  });
  const answer = { packetHash, credential: operator('ana'), reason: 'fine' };
  const { runtime } = there;
  const elsewhere = { code: 'state_write_refused', message: expect.stringContaining(`${runId} was imported`) };
  for (const decided of [
    () => runtime.approve(gateId, answer),
    () => runtime.gates.reject(gateId, answer),
    () => runtime.gates.requestInfo(gateId, answer),
    () => runtime.gates.edit(gateId, { ...answer, parameters: {} }),
    () => runtime.gates.provideInfo(gateId, { packetHash, credential: operator('ana'), text: 'fine' }),
    () => runtime.gates.get(gateId),
  ]) {
    await expect(decided()).rejects.toMatchObject(elsewhere);
  }
  await expect(runtime.approve(`gate_${runId}_9`, answer)).rejects.toMatchObject({ code: 'gate_not_found' });
  await expect(
    there.runtime.sessions.cancel(runId, { credential: operator('ana'), reason: 'no' }),
  ).rejects.toMatchObject({
    code: 'state_write_refused',
  });
  expect(await there.runtime.records.frames(runId)).toEqual(before);
  expect(there.dispatches).toEqual([]);
});

test('with several agents, a gate of an imported run is visible to its tenant only, and cannot be decided', async () => {
  const { bench, runId, gateId, packetHash } = await waiting();
  const file = await bench.runtime.records.export(runId);
  const answer = { packetHash, credential: operator('ana'), reason: 'fine' };
  const clock = simulatedClock(START_MS);
  const several = ambit({ agents: [named('first'), named('second')], world: { clock, timer: clock } });
  await several.records.import(file);
  await expect(several.approve(gateId, answer)).rejects.toMatchObject({ code: 'state_write_refused' });
  await expect(several.approve('gate_none_1', answer)).rejects.toMatchObject({ code: 'gate_not_found' });
  const of = (tenant_id: string) =>
    several.within({ actor: 'ana', tenant_id, roles: [], scopes: [], expires_at: START_MS + 60_000 });
  await expect(of('tenant_a').approve(gateId, answer)).rejects.toMatchObject({ code: 'state_write_refused' });
  await expect(of('tenant_b').approve(gateId, answer)).rejects.toMatchObject({ code: 'permission_denied' });
});

const unpacked = (file: Uint8Array): readonly string[] => gunzipSync(file).toString('utf8').split('\n');
const packed = (lines: readonly string[]): Uint8Array => gzipSync(lines.join('\n'));

/** The last line is empty, and the one before it is the seal. */
const resealed = (lines: readonly string[]): readonly string[] => {
  const text = `${lines.slice(0, -2).join('\n')}\n`;
  return [...lines.slice(0, -2), JSON.stringify({ seal: `sha256:${sha256(text)}` }), ''];
};

test('rejects every alteration and names its place', async () => {
  const { file } = await ended();
  const lines = unpacked(file);
  const place = (part: string): number => lines.findIndex((line) => line.includes(part));
  const frame = place('"seq":3');
  const blob = lines.findIndex((line) => line.startsWith('{"blob"'));
  const swapped = lines.with(frame, lines[frame + 1] ?? '').with(frame + 1, lines[frame] ?? '');
  const cases: readonly (readonly [readonly string[], string])[] = [
    [lines.with(frame, (lines[frame] ?? '').replace('\\"total\\":42', '\\"total\\":43')), '/frames/3'],
    [lines.with(frame, (lines[frame] ?? '').replace('"seq":3', '"seq":4')), '/frames/3'],
    [swapped, '/frames/3'],
    [lines.toSpliced(frame, 1), '/frames/3'],
    [lines.toSpliced(place('"seq":5'), 1), '/frames/5'],
    [
      lines.with(blob, (lines[blob] ?? '').replace('tenant_a', 'tenant_b').replace('"text":"', '"text":" ')),
      '/blobs/sha256:',
    ],
    [lines.toSpliced(blob, 1), '/blobs'],
    [lines.with(blob, 'null'), `/lines/${blob + 1}`],
    [lines.with(0, (lines[0] ?? '').replace('"version":1,', '"version":3,')), '/header/version'],
    [lines.with(0, (lines[0] ?? '').replace('"version":1,', '"version":2,')), '/header/lanes'],
    [lines.with(0, (lines[0] ?? '').replace('"gateTtlMs":123456', '"gateTtlMs":123457')), '/seal'],
    [lines.toSpliced(-2, 1), '/'],
    [lines.slice(0, 3), '/'],
  ];
  for (const [altered, path] of cases) {
    const there = rig(ELSEWHERE);
    const error = await there.runtime.records.import(packed(altered)).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'bundle_invalid', path: expect.stringContaining(path) });
    expect(await there.runtime.sessions.list()).toEqual([]);
  }
  for (const noise of [new Uint8Array([1, 2, 3]), gzipSync('hello'), file.subarray(0, file.length - 20)]) {
    await expect(rig(ELSEWHERE).runtime.records.import(noise)).rejects.toMatchObject({ code: 'bundle_invalid' });
  }
  await expect(rig(ELSEWHERE).runtime.records.import('x' as never)).rejects.toMatchObject({ code: 'input_invalid' });
});

test('detects a forgery with a recomputed seal by replaying the run', async () => {
  const { file } = await ended();
  const lines = unpacked(file);
  const other = lines.with(0, (lines[0] ?? '').replace('"gateTtlMs":123456', '"gateTtlMs":999'));
  const forged = packed(resealed(other));
  await expect(rig(ELSEWHERE).runtime.records.import(forged)).rejects.toMatchObject({ code: 'replay_divergence' });
  const missing = lines.filter((line) => !line.startsWith('{"blob"') || !line.includes('critic_verdict'));
  const gone = lines.length - missing.length;
  const blobs = lines.filter((line) => line.startsWith('{"blob"')).length;
  const fewer = missing.with(0, (missing[0] ?? '').replace(`"blobs":${blobs}`, `"blobs":${blobs - gone}`));
  await expect(rig(ELSEWHERE).runtime.records.import(packed(resealed(fewer)))).rejects.toMatchObject({
    code: 'bundle_invalid',
    message: expect.stringContaining('ck_run_1_1'),
  });
});

test('rejects a run whose policies are missing', async () => {
  const plans = { version: 'house@7', invariants: () => [] };
  const bench = rig({ ...OPTIONS, world: { policy: { plans } } });
  const { runId } = await bench.invoke();
  const file = await bench.runtime.records.export(runId);
  await expect(rig(ELSEWHERE).runtime.records.import(file)).rejects.toMatchObject({
    code: 'replay_input_missing',
    message: expect.stringContaining('house@7'),
  });
  const there = rig({ ...ELSEWHERE, world: { policy: { plans } } });
  expect(await there.runtime.records.import(file)).toMatchObject({ runId });
});
