/** One run for each way of going wrong, as small as it can be, each with what is known of it besides its events. */
import { memoryShelf, memoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { modelReviewer } from '../../../src/compose.ts';
import type { EventBody, RunEvent } from '../../../src/model/event.ts';
import type { Plan, PlanStep } from '../../../src/model/plan.ts';
import type { PathologyFamily } from '../../../src/record/pathologies/families.ts';
import type { Looked } from '../../../src/record/pathologies/signs.ts';
import { unapprovedCalls } from '../../../src/record/unapproved.ts';
import { waitingRoom } from '../../../src/session/lanes/waiting-room.ts';
import { scriptedModel } from '../../../src/testing/scripted-model.ts';
import { answered, proposed, type Turns, turns } from '../endings/turns.ts';
import { nextLife } from '../executing/lives.ts';
import { again, gives, judge, profile } from '../judges/bench.ts';
import { KEEP, TOOLS as MEMORY_TOOLS, PLAN, remembering, rememberingRig } from '../memory/bench.ts';
import { CAPS, operator, planOf, type Rig, type RigOptions, rig, silent, toolSpec } from '../rig.ts';

const broken = () => {
  throw new Error('no');
};
const step = (id: string, tool: string, more: Partial<PlanStep> = {}): PlanStep => ({ id, tool, ...more });
const only = (tool: string, more: Partial<PlanStep> = {}, plan: Partial<Plan> = {}): Plan =>
  planOf([step('a', tool, more)], plan);
const FINISH = { finish: { produces: ['done'] } };

const events = (given: readonly RunEvent[]): Looked => ({ events: given, unapproved: [], saturated: false });

async function ran(options: RigOptions, then: (bench: Rig, runId: string) => Promise<void> = async () => undefined) {
  const bench = rig(options);
  const { runId } = await bench.invoke();
  await then(bench, runId);
  return events(await bench.events(runId));
}

const said = (run: Turns, ...inputs: readonly EventBody[]): Looked => {
  for (const input of inputs) run.say(input);
  return events(run.events);
};

/** A run in which nothing goes wrong: a reading, a change that a tool may make, an answer. */
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

async function overReflecting(): Promise<Looked> {
  const model = scriptedModel([{ cause: 'The date was wrong.', advice: 'Ask for the year.' }]);
  return await ran({
    tools: { work: { produces: ['done'] } },
    plans: again(3),
    world: {
      judges: [judge({ says: [gives(0.3), gives(0.3)] })],
      reviewer: modelReviewer({ model: profile('back', model) }),
    },
  });
}

async function poisonedStore(text: (entry: string) => string): Promise<Looked> {
  const shelf = memoryShelf();
  const store = memoryStore(shelf);
  const caps = { ...CAPS, memory_writes_max: 5 };
  const { bench } = rememberingRig({ store, caps });
  await bench.invoke();
  for (const [key, row] of shelf.rows) shelf.rows.set(key, { ...row, text: text(row.text) });
  const options = { tools: MEMORY_TOOLS, plans: [PLAN], agent: remembering('proposed'), caps };
  const later = nextLife(bench, { ...options, world: { memory: { store, keep: KEEP } } });
  const { runId } = await later.invoke();
  return events(await later.events(runId));
}

function claiming(): Looked {
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
  run.say(proposed(only('finish')));
  return said(run, answered(run));
}

function crowded(): Looked {
  const run = turns({ tools: { read: { retries_max: 0 }, ...FINISH } });
  run.say(proposed(only('read'), { context_tokens: 90_000 }));
  run.say(answered(run, { outcome: 'error', raw: null }));
  return said(run, { type: 'context_compressed', lost: [], tokens: 20_000, pointer: 'trace_1@1' });
}

/** Held at the memory gate after everything was met, it is told by a model that there is more to do. */
async function wantsMore(): Promise<Looked> {
  const { bench } = rememberingRig({ agent: remembering('approval'), caps: { ...CAPS, memory_writes_max: 5 } });
  const { runId } = await bench.invoke();
  await bench.settle(bench.runtime.tell(runId, { type: 'transition_requested', to: 'plan' }));
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
const PAYING: RigOptions = { tools: { pay: GATED }, plans: [only('pay', { requires: ['GATE'] })] };

/** Somebody has taken the approval out of the trace. */
async function forged(): Promise<Looked> {
  const bench = rig(PAYING);
  const { runId, pending } = await bench.invoke();
  const { gateId = '', packetHash = '' } = pending[0] ?? {};
  await bench.settle(bench.runtime.approve(gateId, { packetHash, credential: operator('ana'), reason: 'fine' }));
  const left = (await bench.events(runId)).filter(({ type }) => type !== 'gate_decided');
  return { ...events(left), unapproved: unapprovedCalls(left, (name) => toolSpec(name, GATED)) };
}

async function queued(): Promise<Looked> {
  const bench = rig(PAYING);
  const { runId } = await bench.invoke();
  const { saturated } = await bench.runtime.pending({ capacity: { waitingMax: 0, ageMaxMs: 60_000 } });
  return { ...events(await bench.events(runId)), saturated };
}

/** Each shows its own family; several show others, too, which is in their nature. */
export const FIXTURES: Readonly<Record<PathologyFamily, () => Looked | Promise<Looked>>> = {
  runaway_loop: () =>
    ran({
      tools: { read: { retries_max: 0, produces: ['done'], execute: broken } },
      plans: Array.from({ length: 9 }, () => only('read')),
      caps: REPLANS,
      options: END,
    }),
  tool_spam: () =>
    ran({
      tools: { look: {}, ...FINISH },
      plans: [planOf([...[1, 2, 3].map((n) => step(`s${n}`, 'look', { params: { n } })), step('f', 'finish')])],
      options: { limits: { callsPerMinuteMax: 2 } },
    }),
  goal_drift: () =>
    ran({
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
    ran({
      tools: { look: {}, answer: { speaks: 'respond' }, ...FINISH },
      plans: [
        planOf([step('a', 'look'), step('b', 'answer', { depends_on: ['a'] })]),
        only('finish', {}, { plan_id: 'plan_2' }),
      ],
    }),
  refusal_to_stop: wantsMore,
  over_reflection: overReflecting,
  redundant_decomposition: () =>
    ran({
      tools: FINISH,
      plans: [
        only(
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
    ran({
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
    ran({
      tools: { look: {}, ...FINISH },
      caps: { ...CAPS, tool_calls_max: 2 },
      plans: [planOf([...[1, 2].map((n) => step(`s${n}`, 'look', { params: { n } })), step('f', 'finish')])],
    }),
  stale_state: () =>
    ran({
      tools: { look: looked, ...FINISH },
      plans: [
        planOf([step('old', 'look', { context_key: 'order' })]),
        planOf([step('new', 'look', { context_key: 'order', params: { again: true } })], { plan_id: 'plan_2' }),
        planOf([step('use', 'finish', { params: { seen: { $from: 'old', path: '/seen' } } })], { plan_id: 'plan_3' }),
        only('finish', {}, { plan_id: 'plan_4' }),
      ],
      options: STEPWISE,
    }),
  permission_creep: () =>
    ran({
      tools: { shell: {}, ...FINISH },
      plans: [only('shell'), only('finish', {}, { plan_id: 'plan_2' })],
      agent: (agent) => ({
        ...agent,
        boundary: { ...agent.boundary, tools: { ...agent.boundary.tools, allowed: ['finish'] } },
      }),
    }),
  tool_overreach: () =>
    ran({
      tools: { paid: PAID, calculator: { category: 'sandbox_code', produces: ['done'] } },
      plans: [only('paid'), only('calculator', {}, { plan_id: 'plan_2' })],
    }),
  coordination_failure: () => {
    const room = waitingRoom();
    const waits = (role: string, owner: string, signal: AbortSignal) =>
      room.wait({ board: 'case', role, owner, name: `what ${owner} writes` }, signal);
    const elsewhere = waits('researcher', 'planner', new AbortController().signal).catch(() => undefined);
    return ran({
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
      plans: [only('wait'), only('finish', {}, { plan_id: 'plan_2' })],
    });
  },
  validator_retry_storm: () =>
    ran({ tools: FINISH, plans: Array.from({ length: 5 }, () => ({ steps: 'three of them' })), options: END }),
  queue_saturation: queued,
  memory_write_poisoning: () => poisonedStore((text) => text.replace('42', '987654')),
  credential_expiry: () =>
    ran({
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
    ran({
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
      plans: [only('prices'), only('finish', {}, { plan_id: 'plan_2' })],
    }),
  idempotency_failure: () =>
    ran({
      tools: { pay: { ...PAY, idempotency: { kind: 'none' }, produces: ['done'], retries_max: 0, execute: silent } },
      plans: [only('pay')],
    }),
  escalation_bypass: forged,
};
