/** Complete runs with imported tools, gated and not, over real servers, with the real clock. */
import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tool as aiTool } from 'ai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { fromAISDK } from '../../src/adapters/ai-sdk/index.ts';
import { systemClock, systemTimer } from '../../src/adapters/node/system-clock.ts';
import type { PlanStep } from '../../src/model/plan/plan.ts';
import type { BoundTool } from '../../src/ports/bound-tool.ts';
import { operator, planOf, REQUEST, type Rig, rig } from '../runs/rig.ts';
import { type Imported, imported, ownServer, stdioServer } from './real-servers.ts';

let folder: string;
let files: Imported;

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'ambit-mcp-')));
  writeFileSync(join(folder, 'note.txt'), 'in the folder');
  files = await imported(stdioServer('filesystem', folder), {
    server: 'files',
    trusted: true,
    labels: { read_text_file: { produces: ['done'] }, write_file: { produces: ['done'] } },
  });
});

afterAll(async () => {
  await files[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

/** A rig with one step and the machine's clock, because a real server does not wait for simulated time. */
function benchFor({ spec, execute }: BoundTool, step: Partial<PlanStep>): Rig {
  return rig({
    tools: { [spec.name]: { ...spec, execute } },
    plans: [planOf([{ id: 's1', tool: spec.name, ...step }])],
    world: { clock: systemClock, timer: systemTimer },
  });
}

test('runs a tool without a gate if a trusted server declares it read-only', async () => {
  const bench = benchFor(files.tool('files.read_text_file'), { params: { path: join(folder, 'note.txt') } });
  const done = await bench.runtime.invoke(REQUEST);
  expect(done).toMatchObject({ status: 'completed', terminalCode: 'SUCCESS' });
  const observed = (await bench.events(done.runId)).find(({ type }) => type === 'step_observed');
  expect(observed).toMatchObject({ outcome: 'ok', raw: { content: 'in the folder' } });
  await expect(bench.runtime.records.replay(done.runId)).resolves.toBeDefined();
});

test('gates a destructive tool, and the server receives the approved arguments', async () => {
  const path = join(folder, 'new.txt');
  const bench = benchFor(files.tool('files.write_file'), {
    params: { path, content: 'approved' },
    requires: ['GATE_MODE_APPROVAL'],
  });
  const waiting = await bench.runtime.invoke(REQUEST);
  expect(waiting).toMatchObject({ status: 'awaiting_gate', pending: [{ name: 'GATE_MODE_APPROVAL' }] });
  expect(existsSync(path)).toBe(false);
  const [gate] = waiting.pending;
  const answer = { packetHash: gate?.packetHash ?? '', credential: operator('lead_1'), reason: 'as asked' };
  const done = await bench.runtime.approve(gate?.gateId ?? '', answer);
  expect(done.terminalCode).toBe('SUCCESS');
  expect(existsSync(path)).toBe(true);
  expect(bench.dispatches).toEqual([expect.objectContaining({ args: { path, content: 'approved' } })]);
});

test('gates a tool that an untrusted server declares read-only', async () => {
  await using moody = await imported(ownServer('moody.ts'), {
    server: 'moody',
    labels: { shifty: { produces: ['done'] } },
  });
  const bench = benchFor(moody.tool('moody.shifty'), { params: {}, requires: ['GATE_MODE_APPROVAL'] });
  expect(await bench.runtime.invoke(REQUEST)).toMatchObject({ status: 'awaiting_gate' });
  expect(bench.dispatches).toEqual([]);
  const ungated = benchFor(moody.tool('moody.shifty'), { params: {} });
  expect((await ungated.runtime.invoke(REQUEST)).status).not.toBe('completed');
  expect(ungated.dispatches).toEqual([]);
});

test('does not call a tool that changed between the approval and the call', async () => {
  await using moody = await imported(ownServer('moody.ts'), {
    server: 'moody',
    labels: { shifty: { produces: ['done'] } },
  });
  const bench = benchFor(moody.tool('moody.shifty'), { params: {}, requires: ['GATE_MODE_APPROVAL'] });
  const { pending, runId } = await bench.runtime.invoke(REQUEST);
  await moody.call('moody.redefine', { silently: true });
  const answer = { packetHash: pending[0]?.packetHash ?? '', credential: operator('lead_1'), reason: 'it only looks' };
  const after = await bench.runtime.approve(pending[0]?.gateId ?? '', answer);
  expect(after.status).not.toBe('completed');
  const observed = (await bench.events(runId)).find(({ type }) => type === 'step_observed');
  expect(observed).toMatchObject({
    outcome: 'error',
    detail: expect.stringContaining('moody.shifty is not what it was when it was registered (description changed)'),
  });
});

test('records the reason when a server exits during a call, and the run continues to its end', async () => {
  await using moody = await imported(ownServer('moody.ts'), {
    server: 'moody',
    labels: { die: { approval_mode: 'read_only', produces: ['done'], retries_max: 0 } },
  });
  const bench = benchFor(moody.tool('moody.die'), { params: {} });
  const { runId } = await bench.runtime.invoke(REQUEST);
  const observed = (await bench.events(runId)).find(({ type }) => type === 'step_observed');
  expect(observed).toMatchObject({
    outcome: 'error',
    detail: expect.stringContaining('its process exited with code 7: the disk is on fire'),
  });
});

test('runs an AI SDK tool with a label, and gates it without one', async () => {
  const look = aiTool({ inputSchema: z.object({ id: z.string() }), execute: ({ id }) => ({ id, state: 'paid' }) });
  const [labelled] = await fromAISDK({ look }, { look: { approval_mode: 'read_only', produces: ['done'] } });
  const [unlabelled] = await fromAISDK({ look });
  if (labelled === undefined || unlabelled === undefined) throw new Error('nothing was imported');
  const free = benchFor(labelled, { params: { id: 'ord_1' } });
  expect((await free.runtime.invoke(REQUEST)).terminalCode).toBe('SUCCESS');
  const gated = benchFor(unlabelled, { params: { id: 'ord_1' }, requires: ['GATE_MODE_APPROVAL'] });
  expect(await gated.runtime.invoke(REQUEST)).toMatchObject({ status: 'awaiting_gate' });
  expect(gated.dispatches).toEqual([]);
});
