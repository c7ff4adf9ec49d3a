/**
 * A hundred thousand calls at the gateway, most of them malformed, to tools that answer as badly. Each call results in
 * an event or a Fault, and the gateway dispatches no call that it has not cleared.
 */
import { expect, test } from 'vitest';
import { ajvSchemaCheck } from '../../src/adapters/ajv/ajv-schema-check.ts';
import { sha256 } from '../../src/adapters/node/ids-and-hash.ts';
import { workspaceFiles } from '../../src/adapters/node/workspace-files.ts';
import { authorizeStep } from '../../src/gateway/dispatch/authorize-step.ts';
import { createGateway } from '../../src/gateway/gateway.ts';
import { boundTools } from '../../src/gateway/tool/bound-tools.ts';
import { toolTable } from '../../src/kernel/verify/tool-table.ts';
import type { EventBody } from '../../src/model/events/event.ts';
import { CLEAN } from '../../src/model/evidence/origin.ts';
import { Fault } from '../../src/model/fault/fault.ts';
import { GATE_MODE_APPROVAL } from '../../src/model/gate/gate.ts';
import { address } from '../../src/model/json/hash.ts';
import { assertJson, isJsonObject, JSON_LIMITS, type Json, type JsonObject } from '../../src/model/json/json.ts';
import { takeJson } from '../../src/model/json/take-json.ts';
import type { PlanStep } from '../../src/model/plan/plan.ts';
import type { SecurityToken } from '../../src/model/run/identity.ts';
import { Cancellation } from '../../src/ports/cancellation.ts';
import { agentFor, START_MS } from '../runs/rig.ts';
import { type Dice, diceOf, failureWithSeed, SEED } from './dice.ts';
import { misbehave, offeredArgs, SPECS } from './fuzz-tools.ts';
import { monster } from './hostile.ts';

const CALLS = 100_000;

const TOKEN: SecurityToken = {
  tenant_id: 'tenant_a',
  actor: 'agt_worker',
  roles: ['worker'],
  data_scopes: ['all'],
  allowed_tools: SPECS.map(({ name }) => name),
  approval_authority: 'destructive',
  expires_at: START_MS + 1e9,
};

const NAMES: readonly string[] = [...SPECS.map(({ name }) => name), 'nobody', 'toString', '__proto__', 'constructor'];

interface Sent {
  readonly key: string;
  readonly args: JsonObject;
}

const tools = toolTable(SPECS, new Set(NAMES), ajvSchemaCheck().compile);
const bounds = agentFor(SPECS.map(({ name }) => name).filter((name) => name !== 'forbidden')).boundary.tools;

/** Takes a call through the gateway's public functions, as the session loop does. */
function openCaller(
  dice: Dice,
  sent: Sent[],
  passed: Set<string>,
): (n: number) => Promise<'refused' | 'waits' | 'observed'> {
  const clock = { nowMs: () => START_MS };
  const timer = {
    until: (_: number, signal: AbortSignal) =>
      new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true })),
  };
  const bound = SPECS.map((spec) => ({
    spec,
    execute: (args: JsonObject, { idempotencyKey }: { readonly idempotencyKey: string }) => {
      sent.push({ key: idempotencyKey, args });
      return misbehave(dice) as Json;
    },
  }));
  const gateway = createGateway({
    tools: boundTools(bound),
    infrastructure: {
      permits: ({ tool }) => (dice.chance(0.01) ? hostileRuling(dice) : { ok: tool !== 'nobody' }) as never,
    },
    // These tools fail all the time; other tests cover the breaker.
    breakers: { failuresMax: Number.MAX_SAFE_INTEGER, openMs: 1 },
    files: workspaceFiles(),
    clock,
    timer,
    hash: sha256,
  });
  return async (n) => {
    const tool = dice.pick(NAMES);
    const taken = takeJson(offeredArgs(dice));
    if (!isJsonObject(taken)) throw new Fault('argument_invalid', 'arguments are an object');
    const args = tools.complete(tool, taken);
    const argsHash = address(sha256, args);
    const step: PlanStep = { id: `s${n}`, tool, ...(dice.chance(0.2) ? { requires: [GATE_MODE_APPROVAL] } : {}) };
    const run = { runId: 'run_1', tenantId: 'tenant_a', agent: 'worker' };
    const rules = { bounds, risk: 'low', approvals: [] } as const;
    const check = (value: JsonObject) => tools.checkArguments(tool, value);
    const about = { run, step, args, argsHash, attempt: 1, origin: CLEAN, token: TOKEN, now: START_MS, rules, check };
    const cleared = authorizeStep({ ...about, spec: tools.get(tool) }, gateway.layers);
    expectKeepable(cleared);
    if (cleared.type !== 'step_cleared') return 'refused';
    passed.add(tool);
    if (cleared.gates.length > 0) return 'waits';
    const call = {
      call_id: `call_${n}`,
      step_id: step.id,
      tool,
      args,
      args_hash: argsHash,
      idempotency_key: `key_${n}`,
      attempt: 1,
    };
    const caller = { runId: 'run_1', tenantId: 'tenant_a', actor: 'agt_worker', scopes: [] };
    const dispatch = {
      call,
      limits: tools.get(tool)?.limits,
      behind: [],
      run: caller,
      timeoutMs: 1_000,
      notBefore: 0,
      dispatchBefore: START_MS + 1,
    };
    const { event } = await gateway.call(dispatch, new Cancellation(), () => undefined);
    if (event.type !== 'step_observed' || event.call_id !== call.call_id) throw new Error('an answer to another call');
    expectKeepable(event);
    return 'observed';
  };
}

/** A port's answer: throws or returns an arbitrary value. */
const hostileRuling = (dice: Dice): unknown => {
  if (dice.chance(0.5)) throw monster(dice);
  return dice.chance(0.5) ? monster(dice) : { ok: monster(dice), reason: monster(dice) };
};

/** The JSON limits for a value inside an event, which sits two levels deeper than the value alone. */
const KEPT = { ...JSON_LIMITS, depthMax: JSON_LIMITS.depthMax + 2 };

/** Fails if a journal could not store the event unchanged. */
function expectKeepable(event: EventBody): void {
  assertJson(event, KEPT);
  assertJson(JSON.parse(JSON.stringify(event)), KEPT);
}

test('100,000 calls result in events and Faults only, and every dispatch is recorded', async () => {
  const dice = diceOf(SEED);
  const sent: Sent[] = [];
  const passed = new Set<string>();
  const offer = openCaller(dice, sent, passed);
  const counts = { refused: 0, waits: 0, observed: 0, fault: 0 };
  for (let n = 0; n < CALLS; n += 1) {
    const before = sent.length;
    try {
      const became = await offer(n);
      counts[became] += 1;
      if (became !== 'observed' && sent.length !== before) throw new Error('sent without being cleared');
    } catch (error) {
      if (!Fault.is(error)) throw failureWithSeed(`call ${n}`, SEED, error);
      counts.fault += 1;
      if (sent.length !== before) throw failureWithSeed(`call ${n}, a Fault after it was sent`, SEED, error);
    }
    if (sent.length > before + 1) throw failureWithSeed(`call ${n}`, SEED, 'sent twice');
    const last = sent.at(-1);
    if (sent.length > before && last?.key !== `key_${n}`)
      throw failureWithSeed(`call ${n}`, SEED, 'sent under another key');
    if (sent.length > before && !Object.isFrozen(last?.args))
      throw failureWithSeed(`call ${n}`, SEED, 'arguments that change');
  }
  // Every outcome has to occur often, or the test shows nothing.
  expect(counts.refused).toBeGreaterThan(CALLS / 50);
  expect(counts.waits).toBeGreaterThan(CALLS / 50);
  expect(counts.observed).toBeGreaterThan(CALLS / 50);
  expect(counts.fault).toBeGreaterThan(CALLS / 50);
  const usable = SPECS.map(({ name }) => name).filter((name) => name !== 'forbidden' && name !== 'off');
  expect([...passed].toSorted()).toEqual(usable.toSorted());
  expect(counts.refused + counts.waits + counts.observed + counts.fault).toBe(CALLS);
  expect(({} as { admin?: unknown }).admin).toBeUndefined();
});
