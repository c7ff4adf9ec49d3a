import type { Evaluators } from '../critic/evaluators/evaluator.ts';
import type { Detector } from '../critic/step/safety.ts';
import type { ToolServices } from '../gateway/tool/bound-tools.ts';
import type { PartialCaps } from '../model/budget/budget.ts';
import type { UnitPrices } from '../model/budget/run-cost.ts';
import type { Rubric } from '../model/critic/rubric.ts';
import type { CompiledContext } from '../model/evidence/context.ts';
import type { ContextSources } from '../model/evidence/context-pack.ts';
import type { GatePolicy } from '../model/gate/gate.ts';
import type { PolicyEngine } from '../model/policy/policy-decision.ts';
import type { ApproverOptions } from '../ports/approvers.ts';
import type { Authorizer, Policy } from '../ports/authorizer.ts';
import type { Clock, Ids, Timer } from '../ports/clock.ts';
import type { Infrastructure } from '../ports/infrastructure.ts';
import type { Journal } from '../ports/journal/journal.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { Models } from '../ports/model/language-model.ts';
import type { AnswerJudge, Classifier, Composer, Drafter, Judge, Reviewer } from '../ports/model/model-roles.ts';
import type { Vault } from '../ports/store/vault.ts';
import type { WorkspaceFiles } from '../ports/workspace-files.ts';
import type { PlannerTimeouts } from '../session/perform/ask-planner.ts';
import type { MemoryOptions } from './memory.ts';

/** The environment of a runtime. Defaults come from the machine; tests supply their own. */
export interface World {
  readonly clock: Clock;
  readonly timer: Timer;
  readonly ids: Ids;
  readonly reviewer: Reviewer;
  /** Classifies ambiguous requests, such as a `modelClassifier`. Without one the user clarifies them. */
  readonly classifier: Classifier | null;
  /** Models that judge steps and runs in addition to the Critic's own rules, such as a `modelJudge`. */
  readonly judges: readonly Judge[];
  /** Writes the arguments that a plan leaves open, such as a `modelDrafter`. Without one a plan may leave none open. */
  readonly drafter: Drafter | null;
  /** Writes answers from committed facts, such as a `modelComposer`. Without one answers are compiled. */
  readonly composer: Composer | null;
  /** Rules on composed sentences that are not provable, such as `modelAnswerJudge`. Without it, facts replace them. */
  readonly answerJudge: AnswerJudge | null;
  /** Connects to models, knows their prices and counts tokens. */
  readonly models: Models;
  readonly policy: Partial<Rules>;
  /** The context of every run: packs from `contextPack`, or an already compiled context. */
  readonly context: CompiledContext | ContextSources;
  /** Memory across runs. Without it runs remember nothing. */
  readonly memory?: MemoryOptions;
  readonly journal: Journal;
  readonly plannerTimeouts: PlannerTimeouts;
  /** The infrastructure's own check of outbound calls. The default permits every call that the layers above permit. */
  readonly infrastructure: Infrastructure;
  /** Resolves the real paths of file-system tools. */
  readonly files: WorkspaceFiles;
  /** Services for tool code: credentials and a log. */
  readonly services: ToolServices;
  /** Receives metrics for operators: calls, retries, refusals, gates, breakers. The default discards them. */
  readonly metrics: Metrics;
  /** Stores secret and personal values; one of `vaults`. Required if any tool or input declares such values. */
  readonly vault?: Vault;
}

/** Rules that apply to every run. */
export interface Rules {
  readonly goals: Policy;
  readonly plans: PolicyEngine;
  /** Authorizes every call, once when its plan is verified and again before dispatch, such as a `cedarAuthorizer`. */
  readonly calls?: Authorizer;
  /** Evaluated in addition to `calls` before dispatch. A difference is only recorded; it does not affect the call. */
  readonly candidate?: Authorizer;
  /** The budget of one run of this tenant. It can only lower the agent's own budget. */
  readonly quota: PartialCaps;
  /** Prices of the units of `outcome.cost`, in dollars. They price; they limit nothing. */
  readonly prices?: UnitPrices;
  /** Detects dangerous content in the arguments and results of steps. */
  readonly detectors: readonly Detector[];
  /**
   * Evaluators of your own. They judge new runs in addition to the shipped ones, unless `rubric` names others. Keep a
   * version until the runs that it judges have ended.
   */
  readonly evaluators: Partial<Evaluators>;
  /** Replaces the shipped rubric of the risk class. */
  readonly rubric?: Rubric;
  /** By gate name: who decides, how many approvals it takes, and how long the gate waits. */
  readonly gates: Readonly<Record<string, Partial<GatePolicy>>>;
  /** Authenticates the people who decide gates. Without keys or an authenticator, the runtime trusts the process. */
  readonly approvers?: ApproverOptions;
}

export const NO_RULES: Rules = Object.freeze({
  goals: { check: () => ({ cleared: true, rule: null }) },
  plans: { version: 'no_rules@1', invariants: () => [] },
  quota: {},
  detectors: [],
  evaluators: {},
  gates: {},
});
