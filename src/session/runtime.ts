import { z } from 'zod';
import { dryRun } from '../kernel/dry-run.ts';
import type { AgentSpec } from '../model/agent.ts';
import { type Ask, envelopeOf } from '../model/ask.ts';
import type { DryRun } from '../model/dry-run.ts';
import type { EventBody } from '../model/event.ts';
import { Fault } from '../model/fault.ts';
import type { GateDecisionKind } from '../model/gate.ts';
import type { GrantTerms, RefusedGrant, StandingGrant } from '../model/grant.ts';
import type { JsonObject } from '../model/json.ts';
import { Name } from '../model/name.ts';
import { parse } from '../model/parse.ts';
import { parsePlan } from '../model/parse-plan.ts';
import { printable } from '../model/printable.ts';
import type { RunRequest } from '../model/run-request.ts';
import type { Approvers, Credential } from '../ports/approvers.ts';
import type { Clock } from '../ports/clock.ts';
import type { Journal } from '../ports/journal.ts';
import type { StandingFilter, StandingRow } from '../ports/standing-grants.ts';
import { type GateStanding, gateStanding } from './closed-gate.ts';
import { type DecisionRoom, decideGate, type GateAnswer, type GateEdit, type GateInquiry } from './decide-gate.ts';
import { decideByName, type RunAnswer, type RunDecisionRoom, type RunDecisions, runDecisions } from './decide-run.ts';
import { type GrantDesk, giveGrant, revokeGrant } from './give-grant.ts';
import { given, named, packetNamed, plainly } from './given.ts';
import { heard } from './heard.ts';
import { heldRuns } from './held-runs.ts';
import type { Host } from './host.ts';
import type { Family } from './lanes/family.ts';
import { laneMember } from './lanes/lane-member.ts';
import { ALONE, type Lease } from './lease.ts';
import { operatorWays, type RunDriver } from './operator.ts';
import { outcomeOf, type RunOutcome } from './outcome.ts';
import { type InfoAnswer, provideInfo } from './provide-info.ts';
import { listSessions, type SessionQuery, type SessionSummary } from './session-list.ts';
import type { GivenTo } from './why.ts';
import { pausedFor } from './why-paused.ts';

/** Everything that can be asked of an agent's runs. Every call resolves when the run waits again or has ended. */
export interface Runtime extends RunDecisions {
  /** Begins a run: with the envelope of a request, or in a few words to an agent of this name. */
  invoke(request: unknown): Promise<RunOutcome>;
  invoke(agent: string, ask: Ask): Promise<RunOutcome>;
  approve(gateId: string, answer: GateAnswer): Promise<RunOutcome>;
  /** A no ends the run. */
  reject(gateId: string, answer: GateAnswer): Promise<RunOutcome>;
  /** Puts other arguments in the place of those shown. They are cleared again, and every gate asks about them anew. */
  edit(gateId: string, answer: GateEdit): Promise<RunOutcome>;
  /** Leaves the gate open: the reason says what the person wants to know first. The third time, somebody else decides. */
  requestInfo(gateId: string, answer: GateInquiry): Promise<RunOutcome>;
  /** Answers what whoever decides the gate wanted to know. The gate shows it and asks anew, under a new packet hash. */
  provideInfo(gateId: string, answer: InfoAnswer): Promise<RunOutcome>;
  /** `question` is that of the outcome: the answer is about the very packet that was shown. */
  answer(runId: string, question: AskedQuestion, answers: JsonObject, by: string): Promise<RunOutcome>;
  /** Anything else that may be said to a run, as the event it is: see `heard`. What takes authority is said by name. */
  tell(runId: string, said: unknown): Promise<RunOutcome>;
  /**
   * Takes a run over that no process is driving any more, and drives it on; limits that have passed take effect. One
   * that another process drives is `session_driven`, unless an operator decides to take it over all the same.
   */
  resume(runId: string, how?: { readonly takeOver?: RunAnswer }): Promise<RunOutcome>;
  /** Who drives a run at the moment; null where nobody does, because it waits, has ended, or was left behind. */
  driver(runId: string): Promise<RunDriver | null>;
  outcome(runId: string): Promise<RunOutcome>;
  /** Every run in the journal that the filter leaves, of whatever agent and process; those last changed come first. */
  sessions(filter?: SessionQuery): Promise<readonly SessionSummary[]>;
  /** Permits calls of a `network` or `delegated` tool in advance, within what the terms say. */
  giveGrant(terms: GrantTerms, credential: Credential): Promise<StandingGrant>;
  revokeGrant(grantId: string, reason: string, credential: Credential): Promise<void>;
  /** Every standing grant and what is left of it. */
  grants(filter?: StandingFilter): Promise<readonly StandingRow[]>;
  /** Who could not give or revoke one, and why. */
  refusedGrants(filter?: { readonly tenant?: string }): Promise<readonly RefusedGrant[]>;
  /** What a plan would do, call by call, before anybody has approved anything. Where there are several agents, whose. */
  dryRun(plan: unknown, agent?: string): DryRun;
  /** How a gate stands, open or not, and who decided it; `gate_not_found` for one that never was. */
  gate(gateId: string): Promise<GateStanding>;
  /** What a gate shows, word for word. */
  packet(packetHash: string): Promise<JsonObject>;
  close(): Promise<void>;
}

/** A question as the outcome of a run shows it. */
export type AskedQuestion = Pick<NonNullable<RunOutcome['question']>, 'questionId' | 'packetHash'>;

/** The rest of what the outcome shows of it may come along. */
const Asked: z.ZodType<AskedQuestion> = z.object({ questionId: Name, packetHash: z.string().max(200).nullable() });

function answerTo(question: AskedQuestion, answers: JsonObject, by: string): EventBody {
  const { questionId: question_id, packetHash } = parse(
    Asked,
    plainly(() => given(question)),
    'input_invalid',
  );
  const about = packetHash === null ? {} : { packet_hash: packetHash };
  return heard({ type: 'question_answered', question_id, ...about, answers, changes_scope: false, by });
}

/** The envelope that a few words to this agent stand for. */
function inWords(agent: AgentSpec, called: unknown, ask: Ask): RunRequest {
  if (called === agent.name)
    return envelopeOf(
      agent,
      plainly(() => given(ask)),
    );
  throw new Fault('input_invalid', `there is no agent ${printable(String(called))} here; there is ${agent.name}`, {
    path: '/agent',
  });
}

function dryRunOf({ agent, turn }: Host, plan: unknown): DryRun {
  const needsApproval = agent.boundary.tools.needs_approval;
  return dryRun(turn.env, parsePlan(plan), { needsApproval, policyGates: () => [] });
}

/** Where a runtime stands. */
export interface RuntimeRoom {
  readonly journal: Journal;
  readonly approvers: Approvers;
  readonly clock: Clock;
  readonly family?: Family;
  /** Left out where no other process shares the store. */
  readonly lease?: Lease;
}

export function createRuntime(host: Host, { journal, approvers, clock, family, lease = ALONE }: RuntimeRoom): Runtime {
  const { agent, turn } = host;
  const desk: GrantDesk = { store: journal, approvers, clock, env: turn.env, agent };
  const known: GivenTo = { agent, tools: turn.env.tools };
  const held = heldRuns({ host, lease, journal, family, known });
  const { look, deliver, note } = held;
  const { resume, takeOver, end, migration, driver } = operatorWays({ ...held, host, lease });

  family?.join(agent.name, laneMember({ ...held, host, journal, resume }));

  const decide = async (
    decision: GateDecisionKind,
    gateId: string,
    answer: GateInquiry | GateEdit,
  ): Promise<RunOutcome> => await decideGate(gateRoom, named(gateId), decision, given(answer));
  const gateRoom: DecisionRoom = { now: () => clock.nowMs(), journal, approvers, look, deliver, note };
  const room: RunDecisionRoom = { approvers, look, deliver, note, end, migration };

  return {
    invoke: async (request: unknown, ask?: Ask) =>
      await held.start(ask === undefined ? request : inWords(agent, request, ask)),
    approve: (gateId, answer) => decide('approve', gateId, answer),
    reject: (gateId, answer) => decide('reject', gateId, answer),
    edit: (gateId, answer) => decide('edit', gateId, answer),
    requestInfo: (gateId, answer) => decide('request_info', gateId, answer),
    provideInfo: async (gateId, answer) => await provideInfo(gateRoom, named(gateId), given(answer)),
    answer: async (runId, question, answers, by) => {
      const { tenantId } = (await look(named(runId))).id;
      return await deliver(
        runId,
        answerTo(
          question,
          await host.seal(
            tenantId,
            plainly(() => given(answers)),
          ),
          by,
        ),
      );
    },
    giveGrant: async (terms, credential) => {
      const grant = await giveGrant(desk, terms, credential);
      await host.refresh();
      return grant;
    },
    revokeGrant: async (grantId, reason, credential) => {
      await revokeGrant(desk, grantId, reason, credential);
      await host.refresh();
    },
    dryRun: (plan) => dryRunOf(host, plan),
    grants: (filter) => journal.standingGrants(filter),
    refusedGrants: (filter) => journal.refusedGrants(filter),
    ...runDecisions(room),
    tell: async (runId, said) => await decideByName(room, runId, heard(said)),
    resume: async (runId, { takeOver: taken } = {}) =>
      await (taken === undefined ? resume(named(runId)) : takeOver(named(runId), given(taken), room)),
    driver: async (runId) => await driver(named(runId)),
    outcome: async (runId) => {
      const state = await look(runId);
      return outcomeOf(state, known, await pausedFor(journal, state));
    },
    sessions: async (filter) => await listSessions(journal, filter),
    gate: async (gateId) => await gateStanding(journal, named(gateId)),
    packet: async (packetHash) => JSON.parse(await journal.blob(packetNamed(packetHash))) as JsonObject,
    close: async () => {
      await lease.leave().catch(() => undefined);
      await journal.close();
    },
  };
}
