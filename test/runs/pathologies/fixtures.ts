/** One minimal run per pathology family, with the facts that its events do not contain. */
import { memoryStore, memoryTable } from '../../../src/adapters/memory/memory-store.ts';
import { createWaiterRegistry } from '../../../src/agent/workspace.ts';
import { modelReviewer } from '../../../src/compose.ts';
import type { EventBody, RunEvent } from '../../../src/model/events/event.ts';
import type { Plan, PlanStep } from '../../../src/model/plan/plan.ts';
import { unapprovedCalls } from '../../../src/record/incidents.ts';
import type { DiagnosisInput } from '../../../src/record/pathologies/diagnose.ts';
import type { PathologyFamily } from '../../../src/record/pathologies/families.ts';
import { scriptedModel } from '../../../src/testing/scripted-model.ts';
import { answered, proposed, type Turns, turns } from '../endings/turns.ts';
import { restartProcess } from '../executing/crashed-process.ts';
import { judge, judgeAnswer, profile, repeatPlan } from '../judges/bench.ts';
import { KEEP, TOOLS as MEMORY_TOOLS, PLAN, rememberingRig, withMemorySetting } from '../memory/bench.ts';
import { CAPS, neverAnswers, operator, planOf, type Rig, type RigOptions, rig, toolSpec } from '../rig.ts';

const broken = () => {
  throw new Error('no');
};
const step = (id: string, tool: string, more: Partial<PlanStep> = {}): PlanStep => ({ id, tool, ...more });
const singleStepPlan = (tool: string, more: Partial<PlanStep> = {}, plan: Partial<Plan> = {}): Plan =>
  planOf([step('a', tool, more)], plan);
const FINISH = { finish: { produces: ['done'] } };

const events = (recorded: readonly RunEvent[]): DiagnosisInput => ({
  events: recorded,
  unapproved: [],
  saturated: false,
});

async function runEvents(
  options: RigOptions,
  then: (bench: Rig, runId: string) => Promise<void> = async () => undefined,
) {
  const bench = rig(options);
  const { runId } = await bench.invoke();
  await then(bench, runId);
  return events(await bench.events(runId));
}

const sayAll = (run: Turns, ...inputs: readonly EventBody[]): DiagnosisInput => {
  for (const input of inputs) run.say(input);
  return events(run.events);
};

/** A run without problems: a read, a permitted change and an answer. */
export const CLEAN: RigOptions = {
  tools: {
    look: {},
    note: { approval_mode: 'local_write', side_effect: true, produces: ['done'] },
    tell: { speaks: 'respond' },
  },
  plans: [
    planOf([step('a', 'look'), step('b', 'note', { depends_on: ['a'] }), step('c', 'tell', { depends_on: ['b'] })]),
  ],
};

async function overReflecting(): Promise<DiagnosisInput> {
  const model = scriptedModel([{ cause: 'The date was wrong.', advice: 'Ask for the year.' }]);
  return await runEvents({
    tools: { work: { produces: ['done'] } },
    plans: repeatPlan(3),
    world: {
      judges: [judge({ says: [judgeAnswer(0.3), judgeAnswer(0.3)] })],
      reviewer: modelReviewer({ model: profile('back', model) }),
    },
  });
}

async function poisonedStore(text: (entry: string) => string): Promise<DiagnosisInput> {
  const shelf = memoryTable();
  const store = memoryStore(shelf);
  const caps = { ...CAPS, memory_writes_max: 5 };
  const { bench } = rememberingRig({ store, caps });
  await bench.invoke();
  for (const [key, row] of shelf.rows) shelf.rows.set(key, { ...row, text: text(row.text) });
  const options = { tools: MEMORY_TOOLS, plans: [PLAN], agent: withMemorySetting('proposed'), caps };
  const later = restartProcess(bench, { ...options, world: { memory: { store, keep: KEEP } } });
  const { runId } = await later.invoke();
  return events(await later.events(runId));
}

function claiming(): DiagnosisInput {
  const claims = [{ statement: 'The refund was paid.', observation: 'ev_7' }];
  const run = turns({
    tools: FINISH,
    change: ({ local }) => ({
      local: (state, effect) =>
        effect.kind === 'compile_response'
          ? { event: { type: 'response_compiled', claims, text: 'The refund was paid.' }, blobs: [] }
          : local(state, effect),
    }),
  });
  run.say(proposed(singleStepPlan('finish')));
  return sayAll(run, answered(run));
}

function crowded(): DiagnosisInput {
  const run = turns({ tools: { read: { retries_max: 0 }, ...FINISH } });
  run.say(proposed(singleStepPlan('read'), { context_tokens: 90_000 }));
  run.say(answered(run, { outcome: 'error', raw: null }));
  return sayAll(run, { type: 'context_compressed', lost: [], tokens: 20_000, pointer: 'trace_1@1' });
}

/** A run at the memory gate with all criteria met, in which a model asks for another plan. */
async function wantsMore(): Promise<DiagnosisInput> {
  const { bench } = rememberingRig({ agent: withMemorySetting('approval'), caps: { ...CAPS, memory_writes_max: 5 } });
  const { runId } = await bench.invoke();
  await bench.settle(bench.runtime.sessions.send(runId, { type: 'transition_requested', to: 'plan' }));
  return events(await bench.events(runId));
}

const PAY = { approval_mode: 'local_write', side_effect: true } as const;
const PAID = {
  external: true,
  produces: ['done'],
  cost: { input_tokens: 0, output_tokens: 0, microusd: 5_000 },
  equivalents: ['calculator'],
} as const;
const same = { goal: 'collect the invoices', completion_criteria: ['all are there'], depth: 1 };
const drift = (n: number, others: number): Plan =>
  planOf(
    [
      ...Array.from({ length: others }, (_, at) => step(`o${n}_${at}`, 'browse', { params: { at, n } })),
      step(`t${n}`, 'try', { params: { n } }),
    ],
    { plan_id: `plan_${n}` },
  );
const END = { limits: { onEscalate: 'end' } } as const;
const REPLANS = { ...CAPS, replan_attempts_max: 9, replan_rationale: 'to see the guard first' };
const looked = {
  execute: () => ({ seen: 1 }),
  output_schema: { type: 'object', properties: { seen: {} }, required: ['seen'] },
};
const STEPWISE: RigOptions['options'] = { graph: 'reactive', limits: { planning: 'stepwise' } };

const GATED = { ...PAY, approval_mode: 'destructive', gates: ['GATE'], produces: ['done'] } as const;
const PAYING: RigOptions = { tools: { pay: GATED }, plans: [singleStepPlan('pay', { requires: ['GATE'] })] };

/** A trace from which the approval was removed. */
async function forged(): Promise<DiagnosisInput> {
  const bench = rig(PAYING);
  const { runId, pending } = await bench.invoke();
  const { gateId = '', packetHash = '' } = pending[0] ?? {};
  await bench.settle(bench.runtime.approve(gateId, { packetHash, credential: operator('ana'), reason: 'fine' }));
  const left = (await bench.events(runId)).filter(({ type }) => type !== 'gate_decided');
  return { ...events(left), unapproved: unapprovedCalls(left, (name) => toolSpec(name, GATED)) };
}

async function queued(): Promise<DiagnosisInput> {
  const bench = rig(PAYING);
  const { runId } = await bench.invoke();
  const { saturated } = await bench.runtime.gates.list({ capacity: { waitingMax: 0, ageMaxMs: 60_000 } });
  return { ...events(await bench.events(runId)), saturated };
}

/** Each fixture shows its own family; some show others as well. */
export const FIXTURES: Readonly<Record<PathologyFamily, () => DiagnosisInput | Promise<DiagnosisInput>>> = {
  runaway_loop: () =>
    runEvents({
      tools: { read: { retries_max: 0, produces: ['done'], execute: broken } },
      plans: Array.from({ length: 9 }, () => singleStepPlan('read')),
      caps: REPLANS,
      options: END,
    }),
  tool_spam: () =>
    runEvents({
      tools: { look: {}, ...FINISH },
      plans: [planOf([...[1, 2, 3].map((n) => step(`s${n}`, 'look', { params: { n } })), step('f', 'finish')])],
      options: { limits: { callsPerMinuteMax: 2 } },
    }),
  goal_drift: () =>
    runEvents({
      tools: {
        try: { retries_max: 0, execute: broken, produces: ['done'] },
        browse: { retries_max: 0, execute: broken },
      },
      plans: [drift(1, 0), drift(2, 1), drift(3, 4)],
      caps: { ...CAPS, replan_attempts_max: 2 },
    }),
  context_bloat: crowded,
  memory_poisoning: () =>
    poisonedStore(() => JSON.stringify({ entry_id: 'unsourced', tenant_id: 'tenant_a', key: 'order', value: 'x' })),
  hallucinated_observation: claiming,
  premature_termination: () =>
    runEvents({
      tools: { look: {}, answer: { speaks: 'respond' }, ...FINISH },
      plans: [
        planOf([step('a', 'look'), step('b', 'answer', { depends_on: ['a'] })]),
        singleStepPlan('finish', {}, { plan_id: 'plan_2' }),
      ],
    }),
  refusal_to_stop: wantsMore,
  over_reflection: overReflecting,
  redundant_decomposition: () =>
    runEvents({
      tools: FINISH,
      plans: [
        singleStepPlan(
          'finish',
          {},
          {
            subtasks: [
              { id: 't1', ...same },
              { id: 't2', ...same },
            ],
          },
        ),
      ],
    }),
  duplicate_actions: () =>
    runEvents({
      tools: { pay: { ...PAY, idempotency: { kind: 'key', retention_ms: 86_400_000 } }, ...FINISH },
      plans: [
        planOf([
          step('a', 'pay', { params: { amount: 5 } }),
          step('b', 'pay', { params: { amount: 5 } }),
          step('c', 'finish'),
        ]),
      ],
    }),
  budget_blowout: () =>
    runEvents({
      tools: { look: {}, ...FINISH },
      caps: { ...CAPS, tool_calls_max: 2 },
      plans: [planOf([...[1, 2].map((n) => step(`s${n}`, 'look', { params: { n } })), step('f', 'finish')])],
    }),
  stale_state: () =>
    runEvents({
      tools: { look: looked, ...FINISH },
      plans: [
        planOf([step('old', 'look', { context_key: 'order' })]),
        planOf([step('new', 'look', { context_key: 'order', params: { again: true } })], { plan_id: 'plan_2' }),
        planOf([step('use', 'finish', { params: { seen: { $from: 'old', path: '/seen' } } })], { plan_id: 'plan_3' }),
        singleStepPlan('finish', {}, { plan_id: 'plan_4' }),
      ],
      options: STEPWISE,
    }),
  permission_creep: () =>
    runEvents({
      tools: { shell: {}, ...FINISH },
      plans: [singleStepPlan('shell'), singleStepPlan('finish', {}, { plan_id: 'plan_2' })],
      agent: (agent) => ({
        ...agent,
        boundary: { ...agent.boundary, tools: { ...agent.boundary.tools, allowed: ['finish'] } },
      }),
    }),
  tool_overreach: () =>
    runEvents({
      tools: { paid: PAID, calculator: { category: 'sandbox_code', produces: ['done'] } },
      plans: [singleStepPlan('paid'), singleStepPlan('calculator', {}, { plan_id: 'plan_2' })],
    }),
  coordination_failure: () => {
    const waiters = createWaiterRegistry();
    const waits = (role: string, owner: string, signal: AbortSignal) =>
      waiters.wait({ board: 'case', role, owner, name: `what ${owner} writes` }, signal);
    const elsewhere = waits('researcher', 'planner', new AbortController().signal).catch(() => undefined);
    return runEvents({
      tools: {
        wait: {
          retries_max: 0,
          execute: async (_args, { signal }) =>
            await waits('planner', 'researcher', signal)
              .then(() => elsewhere)
              .then(() => ({})),
        },
        ...FINISH,
      },
      plans: [singleStepPlan('wait'), singleStepPlan('finish', {}, { plan_id: 'plan_2' })],
    });
  },
  validator_retry_storm: () =>
    runEvents({ tools: FINISH, plans: Array.from({ length: 5 }, () => ({ steps: 'three of them' })), options: END }),
  queue_saturation: queued,
  memory_write_poisoning: () => poisonedStore((text) => text.replace('42', '987654')),
  credential_expiry: () =>
    runEvents({
      tools: {
        ask: {
          produces: ['done'],
          retries_max: 0,
          execute: async (args, context) => {
            await context.credentials();
            if (args['again'] === 1) throw Object.assign(new Error('HTTP 401'), { status: 401 });
            return { ok: true };
          },
        },
      },
      plans: [planOf([step('a', 'ask'), step('b', 'ask', { params: { again: 1 } })])],
      world: { services: { credentials: { get: async () => ({ tenantId: 'tenant_a', values: { token: 'old' } }) } } },
    }),
  parser_drift: () =>
    runEvents({
      tools: {
        prices: {
          produces: ['done'],
          output_schema: {
            type: 'object',
            properties: { schema_version: { const: '1' } },
            required: ['schema_version'],
          },
          execute: () => ({ schema_version: '2' }),
        },
        ...FINISH,
      },
      plans: [singleStepPlan('prices'), singleStepPlan('finish', {}, { plan_id: 'plan_2' })],
    }),
  idempotency_failure: () =>
    runEvents({
      tools: {
        pay: { ...PAY, idempotency: { kind: 'none' }, produces: ['done'], retries_max: 0, execute: neverAnswers },
      },
      plans: [singleStepPlan('pay')],
    }),
  escalation_bypass: forged,
};
