/** Derives a recorded run again under other rules, from the record alone. */
import { expect, test } from 'vitest';
import type { Evaluator } from '../../src/critic/evaluators/evaluator.ts';
import { rubricFor } from '../../src/critic/judges/judge-specs.ts';
import type { Detector } from '../../src/critic/step/safety.ts';
import type { StepCase } from '../../src/model/critic/judged-case.ts';
import { type PolicyRuling, rulingOnText } from '../../src/model/policy/policy-decision.ts';
import type { Authorizer } from '../../src/ports/authorizer.ts';
import type { WhatIfRules } from '../../src/runtime/records/what-if-rules.ts';
import { operator, planOf, type RigOptions, rig } from '../runs/rig.ts';
import { PAYING, paid } from './paid.ts';

const permitting = (version: string, forbids: string | null, gates: readonly string[] = []): Authorizer => ({
  version,
  decide: (request) => {
    const tool = request.action === 'call_tool' ? request.resource.name : '';
    return tool === forbids
      ? { effect: 'forbid', determining: ['no_pay'], reasons: ['no payments on Sundays'], gates: [], errors: [] }
      : { effect: 'permit', determining: ['all'], reasons: [], gates: tool === 'look' ? gates : [], errors: [] };
  },
});

const OPTIONS: RigOptions = { ...PAYING, world: { policy: { calls: permitting('v1', null) } } };

test('reports no difference under the same rules, and calls nothing', async () => {
  const { bench, runId } = await paid(OPTIONS);
  const [calls, plans] = [bench.dispatches.length, bench.planner.requests.length];
  expect(await bench.runtime.records.whatIf(runId, {})).toEqual({
    decisions: [],
    recorded: 'SUCCESS',
    derived: 'SUCCESS',
    unknownFrom: null,
  });
  const frames = await bench.runtime.records.frames(runId);
  await bench.runtime.records.whatIf(runId, { policy: permitting('v2', 'pay') });
  expect([bench.dispatches.length, bench.planner.requests.length]).toEqual([calls, plans]);
  expect(await bench.runtime.records.frames(runId)).toEqual(frames);
});

test('rejects an unknown rule and lists the known ones', async () => {
  const { bench, runId } = await paid(OPTIONS);
  const asking = async (otherwise: unknown) => await bench.runtime.records.whatIf(runId, otherwise as never);
  await expect(asking({ polcy: permitting('v2', 'pay') })).rejects.toMatchObject({
    code: 'input_invalid',
    path: '/polcy',
    message: 'whatIf: there is no rule polcy; there are policy, rubric, evaluators, detectors, graph, limits',
  });
  await expect(asking({ evaluators: { steps: [] } })).rejects.toMatchObject({
    code: 'input_invalid',
    path: '/evaluators/steps',
    message: expect.stringContaining('there are step, run'),
  });
  await expect(asking({ limits: { gateTtl: 1 } })).rejects.toMatchObject({
    code: 'input_invalid',
    message: expect.stringContaining('gateTtl'),
  });
  for (const nothing of [undefined, null, 'policy', []]) {
    await expect(asking(nothing)).rejects.toMatchObject({ code: 'input_invalid' });
  }
});

test('a new policy version with the same rulings changes no decision', async () => {
  const { bench, runId } = await paid(OPTIONS);
  expect(await bench.runtime.records.whatIf(runId, { policy: permitting('v2', null) })).toMatchObject({
    derived: 'SUCCESS',
    unknownFrom: null,
    decisions: [],
  });
});

test('a policy that forbids a step rejects the plan, and the run ends there', async () => {
  const { bench, runId } = await paid(OPTIONS);
  const other = await bench.runtime.records.whatIf(runId, { policy: permitting('v2', 'pay') });
  expect(other).toMatchObject({
    recorded: 'SUCCESS',
    derived: 'PERMISSION_DENIED',
    unknownFrom: null,
  });
  expect(other.decisions).toContainEqual({
    about: 'plan_verified',
    recorded: { verdict: 'ok', problems: [] },
    derived: {
      verdict: 'reject',
      problems: [expect.objectContaining({ code: 'permission_denied', path: '/steps/1' })],
    },
  });
  expect(other.decisions).toContainEqual(expect.objectContaining({ about: 'step_cleared a', derived: null }));
});

test('a policy with a new gate opens it, and the run is unknown from there', async () => {
  const { bench, runId } = await paid(OPTIONS);
  const other = await bench.runtime.records.whatIf(runId, { policy: permitting('v2', null, ['GATE_PRIVACY']) });
  expect(other.unknownFrom).toMatchObject({ frame: 3, why: expect.stringContaining('GATE_PRIVACY') });
  expect(other.decisions).toContainEqual({
    about: 'gate_opened GATE_PRIVACY a',
    recorded: null,
    derived: { gate_kind: 'action' },
  });
});

test('a policy without a gate removes it from a call that was decided with the plan', async () => {
  const gating = (version: string, gates: readonly string[]): Authorizer => {
    const decide: Authorizer['decide'] = ({ resource: { name } }) => {
      const asks = name === 'pay' ? gates : [];
      const ruling: PolicyRuling = { effect: 'permit', determining: ['all'], reasons: [], gates: asks, errors: [] };
      return rulingOnText(JSON.stringify(name), ruling);
    };
    return { version, decide };
  };
  const bench = rig({ ...PAYING, world: { policy: { calls: gating('v1', ['GATE_PRIVACY']) } } });
  const { runId } = await bench.invoke();
  expect((await bench.events(runId)).findLast(({ type }) => type === 'step_cleared')).toMatchObject({
    step_id: 'b',
    policy: 'as_planned',
  });
  const { decisions } = await bench.runtime.records.whatIf(runId, { policy: gating('v2', []) });
  expect(decisions.find(({ about }) => about === 'step_cleared b')).toMatchObject({
    recorded: { gates: expect.arrayContaining(['GATE_FINANCE', 'GATE_PRIVACY']) },
    derived: { gates: expect.not.arrayContaining(['GATE_PRIVACY']) },
  });
  expect(decisions.map(({ about }) => about)).toContain('gate_opened GATE_PRIVACY b');
});

test('a stricter rubric escalates the run', async () => {
  const { bench, runId } = await paid(OPTIONS);
  const usual = rubricFor('low');
  expect((await bench.runtime.records.whatIf(runId, { rubric: usual })).decisions).toEqual([]);
  const rubric = { ...usual, name: 'strict', floors: { policy: 1, utility: 1 } };
  const other = await bench.runtime.records.whatIf(runId, { rubric });
  expect(other).toMatchObject({ recorded: 'SUCCESS', derived: null });
  expect(other.decisions.map(({ about }) => about)).toContainEqual(expect.stringMatching(/^run_escalated /));
  expect(other.unknownFrom?.why).toMatch(/paused/);
  await expect(bench.runtime.records.whatIf(runId, { rubric: { ...rubric, accept: 2 } })).rejects.toMatchObject({
    code: 'input_invalid',
  });
});

function harshOn(name: string): WhatIfRules {
  const harsh: Evaluator<StepCase> = {
    name: 'harsh',
    version: '1',
    feeds: 'utility',
    assess: ({ tool }) => ({ score: tool.name === name ? 0 : 1, findings: [] }),
  };
  const usual = rubricFor('low');
  const rubric = { ...usual, name: 'harsher', evaluators: [...usual.evaluators, 'harsh@1'] };
  return { rubric, evaluators: { step: [harsh] } };
}

test('a rubric can use an additional evaluator', async () => {
  const { bench, runId } = await paid(OPTIONS);
  const other = await bench.runtime.records.whatIf(runId, harshOn('pay'));
  expect(other.decisions.map(({ about }) => about)).toContain('step_judged b');
  expect(other.decisions.map(({ about }) => about)).not.toContain('step_judged a');
  expect(other.derived).not.toBe('SUCCESS');
});

test('a run is unknown from the frame at which it would request another effect', async () => {
  const plan = planOf([
    { id: 'a', tool: 'look' },
    { id: 'b', tool: 'finish', depends_on: ['a'] },
  ]);
  const bench = rig({ tools: { look: {}, finish: { produces: ['done'] } }, plans: [plan] });
  const { runId, terminalCode } = await bench.invoke();
  expect(terminalCode).toBe('SUCCESS');
  const { unknownFrom } = await bench.runtime.records.whatIf(runId, harshOn('look'));
  expect(unknownFrom).toEqual({
    frame: 4,
    why: expect.stringMatching(/^the run would ask for reflect, and not for call_tool finish \(b, /),
  });
});

test('an additional detector changes the verdict on the step it flags', async () => {
  const { bench, runId } = await paid(OPTIONS);
  const seeing: Detector = {
    name: 'forty_two',
    version: '1',
    detect: ({ output }) =>
      JSON.stringify(output).includes('42') ? { severity: 'high', detail: 'the answer is too good' } : null,
  };
  const other = await bench.runtime.records.whatIf(runId, { detectors: [seeing] });
  expect(other.recorded).toBe('SUCCESS');
  const judged = other.decisions.find(({ about }) => about === 'step_judged a');
  expect(JSON.stringify(judged?.recorded)).not.toContain('unsafe');
  expect(JSON.stringify(judged?.derived)).toMatch(/unsafe|safety|danger/);
});

test('another graph waits for the approval of the plan', async () => {
  const { bench, runId } = await paid(OPTIONS);
  const other = await bench.runtime.records.whatIf(runId, { graph: 'supervised' });
  expect(other.unknownFrom).toMatchObject({ frame: 3, why: expect.stringMatching(/wait at|awaiting/) });
  expect(other.derived).toBeNull();
});

test('a shorter gate lifetime makes the approval too late', async () => {
  const bench = rig(OPTIONS);
  const { runId, pending } = await bench.invoke();
  const [gate] = pending;
  bench.clock.advanceTo(bench.clock.nowMs() + 60_000);
  const answer = { packetHash: gate?.packetHash ?? '', credential: operator('ana'), reason: 'fine' };
  await bench.settle(bench.runtime.approve(gate?.gateId ?? '', answer));
  const other = await bench.runtime.records.whatIf(runId, { limits: { gateTtlMs: 1_000 } });
  expect(other).toMatchObject({ recorded: 'SUCCESS', derived: 'CONFIRM_REQUIRED', unknownFrom: null });
  // Another gate lifetime gives another packet, which has no recorded decision.
  const longer = await bench.runtime.records.whatIf(runId, { limits: { gateTtlMs: 3_700_000 } });
  expect(longer).toMatchObject({
    derived: null,
    unknownFrom: { frame: 4, why: expect.stringContaining('gate_decided') },
  });
});
