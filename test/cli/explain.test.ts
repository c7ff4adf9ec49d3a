/** `ambit explain`: an agent in plain words, with every value that its author did not write. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BUDGET_PRESETS, capOption, PROFILE_CAPS } from '../../src/model/budget/budget-profile.ts';
import type { AgentExplanation, ExplainedLine } from '../../src/records.ts';
import { openProject, type Project } from './project.ts';

/** Each test starts processes, possibly on a busy machine. */
const SLOW = 600_000;

const TOOLS = `
import { tool } from 'ambit';
import { z } from 'zod';

const invoice = z.object({ invoice_id: z.string(), status: z.string() });

export const findInvoice = tool({
  name: 'invoices.find',
  description: 'Find an invoice',
  approvalMode: 'read_only',
  inputSchema: z.object({ invoice_id: z.string() }),
  outputSchema: invoice,
  execute: ({ invoice_id }) => ({ invoice_id, status: 'open' }),
});

export const refundInvoice = tool({
  name: 'payments.refund',
  description: 'Refund an invoice',
  approvalMode: 'destructive',
  inputSchema: z.object({ invoice_id: z.string() }),
  outputSchema: invoice,
  execute: ({ invoice_id }) => ({ invoice_id, status: 'refunded' }),
  effects: { produces: ['refund'] },
  rules: { action: 'refund' },
});
`;

/** The shortest agent: name, model, tools, boundary, budget, and who may refund. */
const BILLING = `
import { agent, defineConfig } from 'ambit';
import { scriptedModel } from 'ambit/testing';
import { findInvoice, refundInvoice } from './tools.ts';

export const billing = agent({
  name: 'billing',
  model: scriptedModel([]),
  tools: [findInvoice, refundInvoice],
  boundary: 'customer_support',
  budget: 'standard',
  settings: { roles: { clerk: 'destructive' } },
});
export default defineConfig({ agents: [billing] });
`;

const EXPLICIT = `
import { agent, decision, defineConfig, modelReviewer, planFirst, tool } from 'ambit';
import { memoryStores, vaults } from 'ambit/store';
import { scriptedModel } from 'ambit/testing';
import { z } from 'zod';

const model = scriptedModel([]);
const status = z.object({ invoice_id: z.string(), status: z.string() });
const limits = { timeoutMs: 5_000, retries: 1, external: false };
const looks = { sideEffect: false, idempotency: 'natural', produces: ['invoice'] } as const;
const input = z.object({ invoice_id: z.string() });

const findInvoice = tool({
  name: 'invoices.find',
  description: 'Find an invoice',
  approvalMode: 'read_only',
  inputSchema: input,
  outputSchema: status,
  execute: ({ invoice_id }) => ({ invoice_id, status: 'open' }),
  effects: looks,
  limits,
  conditions: {},
  risk: { gates: [], trusted: true, category: 'read_only_lookup' },
});
const reopen = tool({
  name: 'invoices.reopen',
  description: 'Reopen an invoice',
  approvalMode: 'local_write',
  inputSchema: input,
  outputSchema: status,
  execute: ({ invoice_id }) => ({ invoice_id, status: 'open' }),
  effects: {
    sideEffect: false,
    idempotency: 'natural',
    produces: ['reopened'],
  },
  limits,
  conditions: {},
  risk: { gates: [], trusted: true, category: 'live_api' },
});
const refund = tool({
  name: 'payments.refund',
  description: 'Refund an invoice',
  approvalMode: 'destructive',
  inputSchema: input,
  outputSchema: status,
  execute: ({ invoice_id }) => ({ invoice_id, status: 'refunded' }),
  effects: {
    sideEffect: true,
    idempotency: { kind: 'key', retentionMs: 86_400_000 },
    produces: ['refund'],
    reconcile: { probe: findInvoice },
    compensate: reopen,
  },
  limits,
  conditions: {},
  risk: { gates: ['GATE_REFUND'], trusted: true, category: 'payment' },
});

const tools = ['invoices.find', 'invoices.reopen', 'payments.refund'];

export default defineConfig({
  store: 'sqlite:ambit.db',
  graph: 'plan_first',
  limits: {
    intentConfidence: 0.7, gateTtlMs: 3_600_000, questionTtlMs: 86_400_000, dispatchWindowMs: 5_000, retryBaseMs: 200,
    retriesPerRunMax: 100, retryCooldownMs: 30_000, duplicateWindowMs: 60_000, onEscalate: 'pause', onBreach: 'end',
    denialsMax: 3, callsPerMinuteMax: 3_000, contextLimit: 200_000, compressAbove: 0.8, reactStepsMax: 100, parallelSteps: 1, laneFanoutMax: 8,
  },
  world: {
    plannerTimeouts: { usualMs: 30_000, byTaskClass: {} },
    context: {
      context_id: 'context_1', pack_pin: 'ctxpack.billing@0', snapshot_pin: 'none', items: [], compiled_at: 0,
      memory_snapshot: null,
    },
    memory: { store: memoryStores.inMemory(), keep: { invoice: { ttlMs: 60_000, scope: 'billing' } } },
    vault: vaults.inMemory(),
    policy: {
      gates: { GATE_REFUND: { roles: ['finance'], quorum: 2, separation: true, ttlMs: 60_000 } },
      approvers: { authenticator: { identify: async () => null } },
      calls: { version: 'rules@1', decide: () => ({ effect: 'permit', rules: [] }) } as never,
      quota: { tool_calls_max: 4 },
      detectors: [],
      evaluators: {},
      rubric: {
        name: 'own',
        version: '1',
        evaluators: ['policy@1', 'safety@1', 'grounding@1', 'goal@1'],
        accept: 0.8,
        confidence: 0.6,
        floors: { policy: 1 },
      },
    },
  },
  agents: [
    agent({
      name: 'billing',
      model,
      models: {
        composer: model, answerJudge: null, drafter: null, classifier: null, reviewer: modelReviewer({ model }), judges: [],
      },
      planner: planFirst({ model }),
      instructions: 'Be brief.',
      tools: [findInvoice, reopen, refund],
      decisions: [decision({ id: 'refund_due', evidence: ['invoice'], actions: [refund] })],
      intents: [
        {
          intent: 'invoice.refund',
          description: 'Refund an invoice',
          risk: 'high',
          criteria: [{ id: 'refunded', statement: 'The invoice is refunded.', evidence: 'refund' }],
        },
      ],
      boundary: {
        boundary_id: 'billing_bounds',
        version: '3',
        profile: null,
        observations: {
          permission_scopes: [], confirm_scopes: [], authority_min: 0, personal_data: 'withheld',
          trusted_inputs: { invoice_id: 'id', tier: { enum: ['gold', 'silver'] } },
        },
        state_writes: { task_state: 'proposed', persistent_memory: 'approval' },
        tools: {
          allowed: tools, needs_approval: [], mode_max: 'destructive', risk_max: 'high', untrusted_arguments: 'refused',
          request_grants: 'none',
        },
        decision_rights: ['plan'],
        resource_budgets: { steps_max: 6 },
        escalation_paths: ['user', 'operator'],
      },
      budget: {
        stepsMax: 10, toolCallsMax: 10, externalApiCallsMax: 0, inputTokensMax: 100_000, outputTokensMax: 20_000,
        wallClockSecondsMax: 300, inferenceCostUsdMax: 1, retryCountMax: 3, reflectionPassesMax: 1,
        contextTokensMax: 100_000, memoryWritesMax: 0, sideEffectsMax: 1, replanAttemptsMax: 2, lanesMax: 0,
        toolSpendUsdMax: 1,
      },
      output: z.object({ status: z.string() }),
      settings: {
        version: '7',
        roles: { clerk: 'destructive' },
        scopes: Object.fromEntries(tools.map((tool) => [tool, ['billing.write']])),
        autonomy: { tier: 6 },
        sealedInputs: ['/customer/iban'],
      },
    }),
  ],
});
`;

let project: Project;

beforeAll(() => {
  project = openProject();
});
afterAll(() => project.remove());

/** The lines of the only agent, by section and name. */
function explain(folder: string): ReadonlyMap<string, ExplainedLine> {
  const { exit, out, err } = project.ambitWith({ cwd: `${project.folder}/${folder}` }, 'explain', 'billing', '--json');
  expect({ exit, err }).toEqual({ exit: 0, err: '' });
  const [explained] = JSON.parse(out) as readonly AgentExplanation[];
  const lines = explained?.sections.flatMap(({ title, lines: of }) =>
    of.map((line) => [`${title}: ${line.name}`, line] as const),
  );
  return new Map(lines);
}

describe('an agent that states only what it must', () => {
  beforeAll(() => {
    project.write('short/tools.ts', TOOLS);
    project.write('short/ambit.config.ts', BILLING);
  });

  test('marks each default in plain words, with its reason and its option', { timeout: SLOW }, () => {
    const { out, exit } = project.ambitWith({ cwd: `${project.folder}/short` }, 'explain');
    expect(exit).toBe(0);
    expect(out).toMatch(/^billing: \d+ values are defaults, marked with \*$/m);
    for (const line of [
      '* planner: scripted/scripted-1 (default: `planFirst` with the `model` of the agent; change it with planner)',
      '* gates: GATE_MODE_APPROVAL (default: destructive waits for a person; change it with risk.gates)',
      '* idempotency: none: the same call twice has two effects (default: a change counts as unrepeatable until you say otherwise; change it with effects.idempotency)',
      '  mode: destructive',
      "  input tokens: 200000 (from the table 'standard'; change it with budget.inputTokensMax)",
      '  without a role: clarify, invoices.find, respond (because an identity without a listed role only reads)',
      "  boundary: the risk profile 'customer_support'",
    ]) {
      expect(out.split('\n')).toContain(line);
    }
  });

  test('names the reason and the option of every default, and of no stated value a reason', { timeout: SLOW }, () => {
    const lines = [...explain('short').values()];
    for (const { source, why, option, name } of lines) {
      expect({ name, why: why !== undefined }).toEqual({ name, why: source !== 'stated' });
      if (source !== 'derived') expect({ name, option }).toEqual({ name, option: expect.stringMatching(/./) });
    }
    expect(lines.some(({ source }) => source === 'default')).toBe(true);
  });

  test('says who may start a tool, by the rule of a run', { timeout: SLOW }, () => {
    const lines = explain('short');
    expect(lines.get('Tool payments.refund: may be started by')?.value).toBe('role clerk');
    expect(lines.get('Tool invoices.find: may be started by')?.value).toBe('every identity with the scope');
    expect(lines.get('Tool payments.refund: evidence')).toMatchObject({ value: 'refund', source: 'stated' });
    expect(lines.get('Tool invoices.find: evidence')).toMatchObject({ value: 'none', source: 'default' });
    expect(lines.get('Requests: intent billing')).toMatchObject({
      value: 'Find an invoice; Refund an invoice',
      source: 'default',
      option: 'intents',
    });
  });

  test('prints every cap of a shipped budget and the name of its table', { timeout: SLOW }, () => {
    for (const preset of BUDGET_PRESETS.slice(0, 2)) {
      project.write(
        'short/ambit.config.ts',
        BILLING.replace("budget: 'standard'", `budget: { profile: '${preset}', sideEffectsMax: 1 }`),
      );
      const lines = explain('short');
      expect(lines.get('Budget of a run: table of caps')).toMatchObject({ value: `'${preset}'`, source: 'stated' });
      for (const [cap, most] of Object.entries(PROFILE_CAPS[preset]).filter(([name]) => name !== 'side_effects_max')) {
        const name = `Budget of a run: ${cap.replace(/_max$/, '').replaceAll('_', ' ')}`;
        expect(lines.get(name), name).toMatchObject({
          value: expect.stringMatching(new RegExp(`^${most}( s| USD)?$`)),
          source: 'named',
          why: `the table '${preset}'`,
          option: `budget.${capOption(cap)}`,
        });
      }
      expect(lines.get('Budget of a run: side effects')).toMatchObject({ value: '1', source: 'stated' });
    }
    project.write('short/ambit.config.ts', BILLING);
  });

  test('refuses an unknown agent and names the known ones', { timeout: SLOW }, () => {
    const { exit, err } = project.ambitWith({ cwd: `${project.folder}/short` }, 'explain', 'support');
    expect({ exit, err }).toEqual({ exit: 2, err: expect.stringContaining('the config has billing') });
  });
});

test('an agent that states everything has no default, and the lowest ceiling of a cap is named', {
  timeout: SLOW,
}, () => {
  project.write('long/ambit.config.ts', EXPLICIT);
  const lines = explain('long');
  expect([...lines].filter(([, { source }]) => source === 'default').map(([name]) => name)).toEqual([]);
  expect(lines.get('Budget of a run: tool calls')).toMatchObject({
    value: '4',
    why: 'lowered by `world.policy.quota`',
  });
  expect(lines.get('Budget of a run: steps')).toMatchObject({
    value: '6',
    why: 'lowered by `boundary.resource_budgets`',
  });
  expect(lines.get('Boundary: trusted inputs')?.value).toBe('invoice_id (id), tier (one of gold, silver)');
  expect(lines.get('Gates: GATE_REFUND needs')?.value).toBe(
    '2 approvals, of a person who decided no other gate of the call',
  );
  expect(lines.get('Tool payments.refund: finds out about a lost answer by')?.value).toBe('invoices.find');
  const { out } = project.ambitWith({ cwd: `${project.folder}/long` }, 'explain');
  expect(out).toMatch(/^billing: nothing is assumed$/m);
});
