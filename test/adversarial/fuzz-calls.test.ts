/**
 * A hundred thousand calls at the gateway, most of them such as no model in its right mind would make, to tools that
 * answer in the same way. Whatever happens is an event or a Fault, and nothing is sent that was not cleared.
 */
import { expect, test } from 'vitest';
import { ajvSchemaCheck } from '../../src/adapters/ajv/ajv-schema-check.ts';
import { sha256 } from '../../src/adapters/node/sha256.ts';
import { workspaceFiles } from '../../src/adapters/node/workspace-files.ts';
import { boundTools } from '../../src/gateway/bound-tools.ts';
import { clearStep } from '../../src/gateway/clear-step.ts';
import { createGateway } from '../../src/gateway/gateway.ts';
import { toolTable } from '../../src/kernel/verify/tool-table.ts';
import type { EventBody } from '../../src/model/event.ts';
import { Fault } from '../../src/model/fault.ts';
import { GATE_MODE_APPROVAL } from '../../src/model/gate.ts';
import { address } from '../../src/model/hash.ts';
import type { SecurityToken } from '../../src/model/identity.ts';
import { assertJson, isJsonObject, JSON_LIMITS, type Json, type JsonObject } from '../../src/model/json.ts';
import { CLEAN } from '../../src/model/origin.ts';
import type { PlanStep } from '../../src/model/plan.ts';
import { takeJson } from '../../src/model/take-json.ts';
import { Recall } from '../../src/ports/recall.ts';
import { agentFor, START_MS } from '../runs/rig.ts';
import { type Dice, diceOf, SEED, tellSeed } from './dice.ts';
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

/** The way of a call through the gateway's own doors, as the loop takes it. */
function counter(
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
      permits: ({ tool }) => (dice.chance(0.01) ? monsterRuling(dice) : { ok: tool !== 'nobody' }) as never,
    },
    // Tools fail here all the time; that a breaker opens is shown elsewhere.
    breakers: { failuresMax: Number.MAX_SAFE_INTEGER, openMs: 1 },
    files: workspaceFiles,
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
    const cleared = clearStep({ ...about, spec: tools.get(tool) }, gateway.layers);
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
    const { event } = await gateway.call(dispatch, new Recall(), () => undefined);
    if (event.type !== 'step_observed' || event.call_id !== call.call_id) throw new Error('an answer to another call');
    expectKeepable(event);
    return 'observed';
  };
}

/** A port that throws whatever there is, or answers with it. */
const monsterRuling = (dice: Dice): unknown => {
  if (dice.chance(0.5)) throw monster(dice);
  return dice.chance(0.5) ? monster(dice) : { ok: monster(dice), reason: monster(dice) };
};

/** What an event holds may be as deep as any value; it stands a little deeper there. */
const KEPT = { ...JSON_LIMITS, depthMax: JSON_LIMITS.depthMax + 2 };

/** An event that a journal could not keep, or would keep as something else, is no record. */
function expectKeepable(event: EventBody): void {
  assertJson(event, KEPT);
  assertJson(JSON.parse(JSON.stringify(event)), KEPT);
}

test('100,000 calls: nothing but events and Faults, and no dispatch that is not on record', async () => {
  const dice = diceOf(SEED);
  const sent: Sent[] = [];
  const passed = new Set<string>();
  const offer = counter(dice, sent, passed);
  const counts = { refused: 0, waits: 0, observed: 0, fault: 0 };
  for (let n = 0; n < CALLS; n += 1) {
    const before = sent.length;
    try {
      const became = await offer(n);
      counts[became] += 1;
      if (became !== 'observed' && sent.length !== before) throw new Error('sent without being cleared');
    } catch (error) {
      if (!Fault.is(error)) throw tellSeed(`call ${n}`, SEED, error);
      counts.fault += 1;
      if (sent.length !== before) throw tellSeed(`call ${n}, a Fault after it was sent`, SEED, error);
    }
    if (sent.length > before + 1) throw tellSeed(`call ${n}`, SEED, 'sent twice');
    const last = sent.at(-1);
    if (sent.length > before && last?.key !== `key_${n}`) throw tellSeed(`call ${n}`, SEED, 'sent under another key');
    if (sent.length > before && !Object.isFrozen(last?.args))
      throw tellSeed(`call ${n}`, SEED, 'arguments that change');
  }
  // The dice have to reach every way out, or the test shows nothing.
  expect(counts.refused).toBeGreaterThan(CALLS / 50);
  expect(counts.waits).toBeGreaterThan(CALLS / 50);
  expect(counts.observed).toBeGreaterThan(CALLS / 50);
  expect(counts.fault).toBeGreaterThan(CALLS / 50);
  const usable = SPECS.map(({ name }) => name).filter((name) => name !== 'forbidden' && name !== 'off');
  expect([...passed].toSorted()).toEqual(usable.toSorted());
  expect(counts.refused + counts.waits + counts.observed + counts.fault).toBe(CALLS);
  expect(({} as { admin?: unknown }).admin).toBeUndefined();
});
