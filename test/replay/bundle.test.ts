/** A run in one file: it replays where it is brought, says what was altered, and is nobody's to go on with. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { memoryJournal } from '../../src/adapters/memory/memory-journal.ts';
import { sha256 } from '../../src/adapters/node/sha256.ts';
import { sqliteJournal } from '../../src/adapters/sqlite/sqlite-journal.ts';
import { ambit } from '../../src/compose.ts';
import { parseAgent } from '../../src/model/agent.ts';
import type { Journal } from '../../src/ports/journal.ts';
import { outcomeOf } from '../../src/session/outcome.ts';
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

/** Somebody else's agent: other tools, another graph, other limits, and nothing that could be called. */
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
  return { bench, runId, file: await bench.runtime.exportRun(runId) };
}

const stores: readonly (readonly [string, () => Journal])[] = [
  ['memory', () => memoryJournal({ hash: sha256 })],
  ['SQLite', () => sqliteJournal({ path: join(folder, `${stores.length}.db`), hash: sha256 })],
];

for (const [name, journal] of stores) {
  test(`it replays in another store (${name}), under another agent, byte for byte`, async () => {
    const { bench, runId, file } = await ended();
    const there = rig({ ...ELSEWHERE, world: { journal: journal() } });
    expect(await there.runtime.importRun(file)).toEqual({
      runId,
      tenantId: 'tenant_a',
      agent: 'worker',
      frames: 5,
      exportedAt: bench.clock.nowMs(),
      lanes: [],
      wasHere: false,
    });
    expect(await there.runtime.frames(runId)).toEqual(await bench.runtime.frames(runId));
    const [original, again] = [await bench.runtime.replay(runId), await there.runtime.replay(runId)];
    expect(again.turns.map(({ events }) => JSON.stringify(events))).toEqual(
      original.turns.map(({ events }) => JSON.stringify(events)),
    );
    expect(outcomeOf(again.state)).toEqual(outcomeOf(original.state));
    expect(await there.runtime.trace(runId)).toEqual(await bench.runtime.trace(runId));
    expect(await there.runtime.account(runId)).toBe(await bench.runtime.account(runId));
    expect((await there.runtime.verifyChain()).damaged).toEqual([]);
    const [call] = (await there.runtime.trace(runId)).tool_calls;
    expect((await there.runtime.observation(runId, call?.observation ?? '')).raw).toMatchObject({ total: 42 });
    expect(there.dispatches).toEqual([]);
    // From there it goes on to a third place, the very same.
    const third = rig({ ...ELSEWHERE, world: { journal: memoryJournal({ hash: sha256 }) } });
    await third.runtime.importRun(await there.runtime.exportRun(runId));
    expect(await third.runtime.trace(runId)).toEqual(await bench.runtime.trace(runId));
    await there.runtime.close();
  });
}

const named = (name: string) => ({
  spec: parseAgent({ ...agentFor(['other']), name }),
  tools: [{ spec: toolSpec('other', { produces: ['done'] }), execute: () => ({ ok: true }) }],
  planner: scriptedPlanner([]),
  decisions: [],
});

test('how it stands can be asked there, also where several agents work and none is its own', async () => {
  const { bench, runId, file } = await ended();
  const original = await bench.runtime.outcome(runId);
  const alone = rig(ELSEWHERE);
  await alone.runtime.importRun(file);
  expect(await alone.runtime.outcome(runId)).toEqual(original);
  const clock = simulatedClock(START_MS);
  const several = ambit({ agents: [named('first'), named('second')], world: { clock, timer: clock } });
  await several.importRun(file);
  expect(await several.outcome(runId)).toEqual(original);
  expect(await several.trace(runId)).toEqual(await bench.runtime.trace(runId));
  await expect(several.outcome('run_none')).rejects.toMatchObject({ code: 'session_not_found' });
});

test('it is marked, and lies there once however often it is brought', async () => {
  const { bench, runId, file } = await ended();
  const there = rig(ELSEWHERE);
  await there.runtime.importRun(file);
  expect(await there.runtime.importRun(file)).toMatchObject({ runId, wasHere: true });
  expect(await there.runtime.sessions()).toHaveLength(1);
  expect(await there.runtime.imported(runId)).toMatchObject({
    run_id: runId,
    agent: 'worker',
    bundle: expect.any(String),
  });
  expect(await bench.runtime.imported(runId)).toBeNull();
  const other = rig({ ...OPTIONS, plans: [] });
  await other.invoke();
  await expect(other.runtime.importRun(file)).rejects.toMatchObject({
    code: 'input_invalid',
    message: expect.stringContaining('another run run_1'),
  });
});

test('one that waits for people asks nobody there, and nobody goes on with it', async () => {
  const { bench, runId, gateId, packetHash } = await waiting();
  const there = rig({ ...OPTIONS, plans: [] });
  await there.runtime.importRun(await bench.runtime.exportRun(runId));
  const before = await there.runtime.frames(runId);
  expect((await there.runtime.replay(runId)).state.session.status).toBe('awaiting_gate');
  expect(await there.runtime.pending()).toMatchObject({ groups: [] });
  // Its gate runs out where it is driven, and wakes nobody where it was brought.
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
    () => runtime.reject(gateId, answer),
    () => runtime.requestInfo(gateId, answer),
    () => runtime.edit(gateId, { ...answer, parameters: {} }),
    () => runtime.provideInfo(gateId, { packetHash, credential: operator('ana'), text: 'fine' }),
    () => runtime.gate(gateId),
  ]) {
    await expect(decided()).rejects.toMatchObject(elsewhere);
  }
  await expect(runtime.approve(`gate_${runId}_9`, answer)).rejects.toMatchObject({ code: 'gate_not_found' });
  await expect(there.runtime.cancel(runId, { credential: operator('ana'), reason: 'no' })).rejects.toMatchObject({
    code: 'state_write_refused',
  });
  expect(await there.runtime.frames(runId)).toEqual(before);
  expect(there.dispatches).toEqual([]);
});

test('a gate of an imported run is its tenant’s, and that of no agent where there are several', async () => {
  const { bench, runId, gateId, packetHash } = await waiting();
  const file = await bench.runtime.exportRun(runId);
  const answer = { packetHash, credential: operator('ana'), reason: 'fine' };
  const clock = simulatedClock(START_MS);
  const several = ambit({ agents: [named('first'), named('second')], world: { clock, timer: clock } });
  await several.importRun(file);
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

test('whatever was altered is refused, and its place is named', async () => {
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
    const error = await there.runtime.importRun(packed(altered)).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'bundle_invalid', path: expect.stringContaining(path) });
    expect(await there.runtime.sessions()).toEqual([]);
  }
  for (const noise of [new Uint8Array([1, 2, 3]), gzipSync('hello'), file.subarray(0, file.length - 20)]) {
    await expect(rig(ELSEWHERE).runtime.importRun(noise)).rejects.toMatchObject({ code: 'bundle_invalid' });
  }
  await expect(rig(ELSEWHERE).runtime.importRun('x' as never)).rejects.toMatchObject({ code: 'input_invalid' });
});

test('a forger who seals anew is found out by what the run decides', async () => {
  const { file } = await ended();
  const lines = unpacked(file);
  const other = lines.with(0, (lines[0] ?? '').replace('"gateTtlMs":123456', '"gateTtlMs":999'));
  const forged = packed(resealed(other));
  await expect(rig(ELSEWHERE).runtime.importRun(forged)).rejects.toMatchObject({ code: 'replay_divergence' });
  const missing = lines.filter((line) => !line.startsWith('{"blob"') || !line.includes('critic_verdict'));
  const gone = lines.length - missing.length;
  const blobs = lines.filter((line) => line.startsWith('{"blob"')).length;
  const fewer = missing.with(0, (missing[0] ?? '').replace(`"blobs":${blobs}`, `"blobs":${blobs - gone}`));
  await expect(rig(ELSEWHERE).runtime.importRun(packed(resealed(fewer)))).rejects.toMatchObject({
    code: 'bundle_invalid',
    message: expect.stringContaining('ck_run_1_1'),
  });
});

test('a run whose policies are not there is not taken on trust', async () => {
  const plans = { version: 'house@7', invariants: () => [] };
  const bench = rig({ ...OPTIONS, world: { policy: { plans } } });
  const { runId } = await bench.invoke();
  const file = await bench.runtime.exportRun(runId);
  await expect(rig(ELSEWHERE).runtime.importRun(file)).rejects.toMatchObject({
    code: 'replay_input_missing',
    message: expect.stringContaining('house@7'),
  });
  const there = rig({ ...ELSEWHERE, world: { policy: { plans } } });
  expect(await there.runtime.importRun(file)).toMatchObject({ runId });
});
