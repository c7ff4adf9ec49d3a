import type { Detector } from '../critic/step/safety.ts';
import type { ToolServices } from '../gateway/bound-tools.ts';
import type { PolicyEngine } from '../kernel/verify/verify-context.ts';
import type { PartialCaps } from '../model/budget.ts';
import type { CompiledContext } from '../model/context.ts';
import type { ContextSources } from '../model/context-pack.ts';
import type { GatePolicy } from '../model/gate.ts';
import type { ApproverOptions } from '../ports/approvers.ts';
import type { Authorizer } from '../ports/authorizer.ts';
import type { Classifier } from '../ports/classifier.ts';
import type { Clock } from '../ports/clock.ts';
import type { Drafter } from '../ports/drafter.ts';
import type { Ids } from '../ports/ids.ts';
import type { Infrastructure } from '../ports/infrastructure.ts';
import type { Journal } from '../ports/journal.ts';
import type { Judge } from '../ports/judge.ts';
import type { Models } from '../ports/language-model.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { Policy } from '../ports/policy.ts';
import type { Reviewer } from '../ports/reviewer.ts';
import type { Timer } from '../ports/timer.ts';
import type { Vault } from '../ports/vault.ts';
import type { WorkspaceFiles } from '../ports/workspace-files.ts';
import type { PlannerTimeouts } from '../session/ask-planner.ts';
import type { MemoryOptions } from '../session/assembly/memory-for.ts';

/** What usually comes with the machine. A test brings its own. */
export interface World {
  readonly clock: Clock;
  readonly timer: Timer;
  readonly ids: Ids;
  readonly reviewer: Reviewer;
  /** Reads requests that could mean several things, such as a `modelClassifier`. Without one the user is asked. */
  readonly classifier: Classifier | null;
  /** Models that judge steps and runs besides the Critic's own rules, such as a `modelJudge`. */
  readonly judges: readonly Judge[];
  /** Writes what plans leave open of a call, such as a `modelDrafter`. Without one they may leave nothing open. */
  readonly drafter: Drafter | null;
  /** How models are reached, what they cost, how long a text is to them. */
  readonly models: Models;
  readonly policy: Partial<Rules>;
  /** What runs are told: packs that `contextPack` has read, or a context that somebody else has compiled. */
  readonly context: CompiledContext | ContextSources;
  /** What is remembered across runs, and of what. Without it nothing is. */
  readonly memory?: MemoryOptions;
  readonly journal: Journal;
  readonly plannerTimeouts: PlannerTimeouts;
  /** What the machinery under the tools permits. Without one it permits everything that the layers above do. */
  readonly infrastructure: Infrastructure;
  /** Where the paths of file-system tools really lead. */
  readonly files: WorkspaceFiles;
  /** What the code of tools may ask for: credentials, and a log. */
  readonly services: ToolServices;
  /** Where numbers for operators go: calls, retries, refusals, gates, breakers. Without one nobody counts. */
  readonly metrics: Metrics;
  /** Where secret and personal values are kept, one of `vaults`. Without it nothing may declare that it has any. */
  readonly vault?: Vault;
}

/** What holds for every run, whoever asks for it. */
export interface Rules {
  readonly goals: Policy;
  readonly plans: PolicyEngine;
  /** Decides about every call when its plan is verified and again before it is sent, such as a `cedarAuthorizer`. */
  readonly calls?: Authorizer;
  /** Asked beside `calls` before a call is sent. Where it differs that is on record, and nothing else comes of it. */
  readonly candidate?: Authorizer;
  /** The most that one run of this tenant may spend. It can only lower what the agent's own budget says. */
  readonly quota: PartialCaps;
  /** Rules that recognise something dangerous in what a step sent or brought back. */
  readonly detectors: readonly Detector[];
  /** Who decides the gates of a name, how many of them it takes, and how long they have. */
  readonly gates: Readonly<Record<string, Partial<GatePolicy>>>;
  /** How it is established who decides a gate. Without either, whoever runs the process is believed. */
  readonly approvers?: ApproverOptions;
}

export const NO_RULES: Rules = Object.freeze({
  goals: { check: () => ({ cleared: true, rule: null }) },
  plans: { version: 'no_rules@1', invariants: () => [] },
  quota: {},
  detectors: [],
  gates: {},
});
