import { contextPointer, type KernelEnv, type RunState } from '../../kernel/index.ts';
import { judgeId } from '../../model/critic/judge.ts';
import type { EffectOf } from '../../model/events/effect.ts';
import type { CompiledContext, ContextItem } from '../../model/evidence/context.ts';
import { visibleItems } from '../../model/evidence/visible-context.ts';
import { Fault } from '../../model/fault/fault.ts';
import type { AgentPins, AgentSpec } from '../../model/run/agent.ts';
import type { ThreadPart } from '../../model/run/thread.ts';
import type { ToolRegistry } from '../../model/tool/tool.ts';
import type { Clock, Timer } from '../../ports/clock.ts';
import type { Models, OpenModelClient } from '../../ports/model/language-model.ts';
import type { AnswerJudge, Classifier, Composer, Drafter, Judge, Reviewer } from '../../ports/model/model-roles.ts';
import type { Planner } from '../../ports/model/planner.ts';
import type { RunContexts } from '../run-contexts.ts';
import { withDigest } from '../threads/compressed-history.ts';
import { type ChangedTools, changedJudge, changedPlanner } from '../used-versions.ts';
import { callAnswerJudge } from './ask-answer-judge.ts';
import { askClassifier } from './ask-classifier.ts';
import { type ComposerCall, callComposer } from './ask-composer.ts';
import { callDrafter } from './ask-drafter.ts';
import { askJudges } from './ask-judges.ts';
import { callPlanner, type PlannerTimeouts, planFailed, plannerTimeout } from './ask-planner.ts';
import { askForCompression, askForReflection } from './ask-reviewer.ts';
import type { OutsidePerformers } from './performers.ts';
import { goalOf, tokenOf } from './run-parts.ts';
import { type Scratchpads, scratchpads } from './scratchpads.ts';

type ModelKind =
  | 'read_intent'
  | 'propose_plan'
  | 'draft_arguments'
  | 'compose_answer'
  | 'judge_sentences'
  | 'reflect'
  | 'compress_context'
  | 'ask_judges';

/** The pins that model roles use. */
interface ModelPins {
  readonly agent: AgentSpec;
  readonly env: KernelEnv;
  readonly registry: ToolRegistry;
  readonly plannerTimeouts: PlannerTimeouts;
  readonly changed?: ChangedTools;
}

/** The model roles of a run, and the ports that they use. */
export interface ModelPorts {
  readonly planner: Planner;
  readonly models: Models;
  /** Opens a model client; shared by planners, reviewers, judges and tools. */
  readonly openModelClient: OpenModelClient;
  readonly reviewer: Reviewer;
  /** The notes of models. The default is private to these runs. */
  readonly pads?: Scratchpads;
  /** Classifies ambiguous requests; null if the user is asked directly. */
  readonly classifier: Classifier | null;
  readonly judges: readonly Judge[];
  /** Writes the arguments that plans leave open; omitted if they may leave none open. */
  readonly drafter?: Drafter | null;
  /** Writes answers from committed facts; omitted if answers are compiled without a model. */
  readonly composer?: Composer | null;
  /** Rules on composed sentences that are not provable; omitted if facts replace them. */
  readonly answerJudge?: AnswerJudge | null;
  readonly clock: Clock;
  readonly timer: Timer;
}

/** The performers of effects that ask a model role. None of them can reach a tool. */
export function modelPerformers(
  pins: ModelPins,
  ports: ModelPorts & Pick<ComposerCall, 'askedFields'>,
  contexts: Pick<RunContexts, 'of'>,
): Pick<OutsidePerformers, ModelKind> {
  const { planner, models, openModelClient, clock, timer, pads = scratchpads() } = ports;
  const { env } = pins;
  const { instructions } = pins.agent;
  const instructed = instructions === undefined ? {} : { instructions };
  const tools = pins.registry.tools.filter(({ name }) => pins.changed?.has(name) !== true);
  const call = { planner, tools, env, clock, timer, openModelClient, pads, ...instructed };
  const asked = { env, openModelClient, clock, timer, ...instructed };
  const allowance = env.limits.reviewerCost ?? env.limits.plannerCost;
  const { historyTokensMax } = env.limits;
  const review = {
    ...{ reviewer: ports.reviewer, openModelClient, allowance, models, clock, timer },
    ...(historyTokensMax === undefined ? {} : { historyTokensMax }),
  };
  return {
    read_intent: (state, effect, { recall }) => {
      const { classifier } = ports;
      const cost = env.limits.classifierCost;
      if (classifier === null || cost === null) throw new Fault('internal', 'this host has no classifier');
      const reader = { classifier, allowance: cost, openModelClient, clock, timer };
      // A classifier decides before anything marks a run as exposed, so that it reads trusted messages alone.
      const messages = shownMessages(contexts, state).filter(({ trusted }) => trusted);
      const request = { goal: goalOf(state), ...(messages.length === 0 ? {} : { messages }) };
      return askClassifier(reader, request, pins.agent.intents, effect, recall.signal);
    },
    propose_plan: async (state, effect, { recall }) => {
      const changed = whyNotPlanned(ports.planner, pins.agent.pins, state, effect);
      if (changed !== null) return planFailed(new Fault('version_changed', changed));
      const taskClass = pins.agent.intents.find(({ intent }) => intent === state.intake.intent)?.task_class;
      const timeoutMs = plannerTimeout(pins.plannerTimeouts, taskClass);
      const context = visibleContext(pins, contexts, state);
      return await callPlanner({ ...call, timeoutMs, context }, state, effect, recall);
    },
    draft_arguments: (state, effect, { recall }) =>
      callDrafter({ ...asked, drafter: ports.drafter ?? null }, state, effect, recall.signal),
    compose_answer: (state, effect, { recall }) => {
      const composer = ports.composer ?? null;
      const messages = shownMessages(contexts, state);
      return callComposer(
        { ...asked, askedFields: ports.askedFields, composer, messages },
        state,
        effect,
        recall.signal,
      );
    },
    judge_sentences: (state, effect, { recall }) =>
      callAnswerJudge({ ...asked, answerJudge: ports.answerJudge ?? null }, state, effect, recall.signal),
    reflect: (state, effect, { recall }) => askForReflection(review, state, effect, recall.signal),
    compress_context: (state, _effect, { recall }) => {
      const shownContext = { items: visibleContext(pins, contexts, state).items, notes: pads.of(state).notes() };
      return askForCompression(review, state, shownContext, recall.signal);
    },
    ask_judges: (state, effect, { recall }) =>
      askJudges(
        { judges: unchangedJudges(ports.judges, pins.agent.pins, state), openModelClient, clock, timer },
        state,
        effect,
        recall.signal,
      ),
  };
}

/** Why this process must not plan for a run; null if it has the planner of the run. */
function whyNotPlanned(
  planner: Planner,
  pins: AgentPins,
  { manifest }: RunState,
  { specialist }: EffectOf<'propose_plan'>,
): string | null {
  if (specialist === true && planner.safer === undefined)
    return 'the run was made with a safer planner, but this process has none';
  return manifest === null ? null : changedPlanner(manifest, pins);
}

/** The judges whose models are those of the run. A judge that is left out gives no answer. */
const unchangedJudges = (judges: readonly Judge[], pins: AgentPins, { manifest }: RunState): readonly Judge[] =>
  manifest === null ? judges : judges.filter(({ spec }) => changedJudge(manifest, pins, judgeId(spec)) === null);

/** The context that a planner sees: only the items that this identity may read and that are still fresh. */
function visibleContext({ agent }: ModelPins, contexts: Pick<RunContexts, 'of'>, state: RunState): CompiledContext {
  const { context } = contexts.of(state);
  const visible = visibleItems(context, { token: tokenOf(state), boundary: agent.boundary, now: state.now });
  const items = shownItems(state, visible);
  const { history, ...rest } = context;
  if (history !== undefined) return { ...rest, items };
  return items.length === context.items.length ? context : { ...context, items };
}

/** The earlier messages of the thread, with the digest of those that a compression left out. */
const shownMessages = (contexts: Pick<RunContexts, 'of'>, state: RunState): readonly ThreadPart[] =>
  withDigest(state, contexts.of(state).context.history ?? []);

/** The visible items without those that a compression left out; the trace still has them. */
function shownItems({ planning }: RunState, visible: readonly ContextItem[]): readonly ContextItem[] {
  const { compressed } = planning;
  if (compressed === undefined || compressed.demoted.length === 0) return visible;
  const gone = new Set(compressed.demoted);
  return visible.filter(({ key }) => !gone.has(contextPointer(key)));
}
