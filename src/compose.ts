import { knownModels } from './adapters/ai-sdk/models/known-models.ts';
import { ajvSchemaCheck } from './adapters/ajv/ajv-schema-check.ts';
import { memoryFacts } from './adapters/memory/memory-facts.ts';
import { memoryJournal } from './adapters/memory/memory-journal.ts';
import { memoryKeys } from './adapters/memory/memory-keys.ts';
import { memoryStore } from './adapters/memory/memory-store.ts';
import { readPack } from './adapters/node/context-pack.ts';
import { ed25519, newKeyPair, signText } from './adapters/node/ed25519.ts';
import { fileKeys } from './adapters/node/file-keys.ts';
import { artifactFolder, gzipArchive } from './adapters/node/files.ts';
import { randomIds, sha256 } from './adapters/node/ids-and-hash.ts';
import { readKeyPair } from './adapters/node/read-key-pair.ts';
import { systemClock, systemTimer } from './adapters/node/system-clock.ts';
import { nodeProcess } from './adapters/node/this-process.ts';
import { workspaceFiles } from './adapters/node/workspace-files.ts';
import { sqliteFacts } from './adapters/sqlite/sqlite-facts.ts';
import { sqliteJournal } from './adapters/sqlite/sqlite-journal.ts';
import { sqliteMemory } from './adapters/sqlite/sqlite-memory.ts';
import { sqliteStoreTools } from './adapters/sqlite/tools/store-tools.ts';
import { sqliteVault } from './adapters/sqlite/vault/sqlite-vault.ts';
import { agentWith, type DeclareAgent } from './agent/agent.ts';
import type { Machine } from './agent/machine.ts';
import type { AgentRuntimeOptions, AgentsRuntimeOptions, AmbitOptions } from './agent/options.ts';
import { type PromptTools, promptToolWith } from './gateway/tool/prompt-tool.ts';
import { type CompileSchema, guardsWith, type OwnGuards } from './kernel/index.ts';
import type { Frame } from './model/events/frame.ts';
import type { ContextPack } from './model/evidence/context-pack.ts';
import { guardInput, guardMethods } from './model/fault/guard-input.ts';
import type { Hash } from './model/json/hash.ts';
import { readArtifact } from './model/record/artifact.ts';
import { parseStore } from './model/run/store-name.ts';
import type { Journal } from './ports/journal/journal.ts';
import type { KeyTools } from './ports/keys.ts';
import type { AnswerJudge, Classifier, Composer, Drafter, Judge, Reviewer } from './ports/model/model-roles.ts';
import type { Planner } from './ports/model/planner.ts';
import type { ArtifactTools } from './ports/store/artifact-store.ts';
import type { FactsStore } from './ports/store/facts-store.ts';
import type { MemoryStores } from './ports/store/memory-store.ts';
import type { StoreTools } from './ports/store/store-tools.ts';
import type { Vaults } from './ports/store/vault.ts';
import { type ReplayEnv, type Replayed, replayRun } from './replay/replay.ts';
import { longestQuestionMs } from './roles/client/retry.ts';
import { modelAnswerJudgeWith } from './roles/model-answer-judge.ts';
import { modelClassifierWith } from './roles/model-classifier.ts';
import { modelComposerWith } from './roles/model-composer.ts';
import { modelDrafterWith } from './roles/model-drafter.ts';
import { type ModelJudgeOptions, modelJudgeWith } from './roles/model-judge.ts';
import { type ModelProfiles, type ModelRoleOptions, modelProfiles, profileOf } from './roles/model-profile.ts';
import { modelReviewerWith } from './roles/model-reviewer.ts';
import { type PlanFirstOptions, planFirstWith } from './roles/plan-first.ts';
import { type ReactiveOptions, reactiveWith } from './roles/reactive.ts';
import type { Ambit } from './runtime/ambit.ts';
import { runtimeOf } from './runtime/open-runtime.ts';
import { rowRebuilder } from './runtime/records/rebuild-rows.ts';

export { decisionsFrom } from './adapters/node/decision-file.ts';

/** Shared by all runtimes of the process, so that each schema is compiled once. */
const schemaCheck = ajvSchemaCheck();

const THIS_MACHINE: Machine = Object.freeze({
  hash: sha256,
  schemas: () => schemaCheck.compile,
  signatures: ed25519,
  models: knownModels,
  clock: systemClock,
  timer: systemTimer,
  ids: randomIds,
  process: nodeProcess(),
  files: workspaceFiles,
  archive: gzipArchive,
  openStore,
  factsOf,
});

/** Creates a runtime from agents, their tools and a store. Reports all problems in the options before anything runs. */
export function ambit<Output>(declared: AgentRuntimeOptions<Output>): Ambit<Output>;
export function ambit(declared: AmbitOptions | AgentRuntimeOptions | AgentsRuntimeOptions): Ambit;
export function ambit(declared: AmbitOptions | AgentRuntimeOptions | AgentsRuntimeOptions): Ambit {
  return guardInput('ambit', runtimeOf)(declared, THIS_MACHINE);
}

/** Creates, stores and uses the signing keys of approvers. */
export const keyTools: KeyTools = guardMethods('keyTools', {
  inMemory: () => guardMethods('keys', memoryKeys()),
  inFile: fileKeys,
  newPair: newKeyPair,
  sign: signText,
});

/** Opens the journal that `store` names, for hosts that wrap it. Pass the result as `world.journal`. */
export const openJournal: (store: NonNullable<AmbitOptions['store']>) => Journal = guardInput('openJournal', openStore);

/** Checks, copies and prunes a store file, and anchors its chains. */
export const storeTools: StoreTools = guardMethods(
  'storeTools',
  sqliteStoreTools({
    hash: sha256,
    signatures: ed25519,
    sign: signText,
    rebuild: (guards) =>
      rowRebuilder({ hash: sha256, schemas: () => schemaCheck.compile, guards: guardsWith(guards as OwnGuards) }),
  }),
);

/** Memory stores: in the process, or in a SQLite file. */
export const memoryStores: MemoryStores = guardMethods('memoryStores', {
  inMemory: () => guardMethods('memory', memoryStore()),
  inFile: (...place) => guardMethods('memory', sqliteMemory(...place)),
});

/** Vaults for secret and personal values: in the process, or in a file whose keys a master key wraps. */
export const vaults: Vaults = guardMethods('vaults', {
  inMemory: () => guardMethods('vault', sqliteVault(':memory:', { unprotected: true })),
  inFile: (...place) => guardMethods('vault', sqliteVault(...place)),
});

/** Stores artifacts of runs in a folder, and reads a single artifact without the others. */
export const artifacts: ArtifactTools = guardMethods('artifacts', {
  inFolder: artifactFolder,
  read: (text) => readArtifact(text, sha256),
});

/** Reads a context pack or a snapshot from a folder. */
export const contextPack: (folder: string) => ContextPack = guardInput('contextPack', (folder) =>
  readPack(folder, sha256),
);

/** Builds a model profile for planners, judges and other roles. Prices come from the built-in table or the options. */
export const modelProfile: ModelProfiles = guardInput('modelProfile', modelProfiles(knownModels));

/** Declares an agent. Defaults are restrictive: an omitted option lets the agent do less, not more. */
export const agent: DeclareAgent = guardInput('agent', agentWith(modelProfile));

export const planFirst: (options: PlanFirstOptions) => Planner = guardInput('planFirst', planFirstWith(modelProfile));

/** A planner that decides one step at a time and sees its result before the next one. */
export const reactive: (options: ReactiveOptions) => Planner = guardInput('reactive', reactiveWith(modelProfile));

/** Lets a model write the arguments that a plan leaves open. */
export const modelDrafter: (options: ModelRoleOptions) => Drafter = guardInput(
  'modelDrafter',
  modelDrafterWith(modelProfile),
);

/** Lets a model write the answer, sentence by sentence, from committed facts. The release check decides on each. */
export const modelComposer: (options: ModelRoleOptions) => Composer = guardInput(
  'modelComposer',
  modelComposerWith(modelProfile),
);

/** Lets a model rule on sentences of an answer that are not provable. They are marked as released by a judge. */
export const modelAnswerJudge: (options: ModelRoleOptions) => AnswerJudge = guardInput(
  'modelAnswerJudge',
  modelAnswerJudgeWith(modelProfile),
);

/** Lets a model judge. Its answer is stored verbatim and read by the Critic; it can only lower trust. */
export const modelJudge: (options: ModelJudgeOptions) => Judge = guardInput('modelJudge', modelJudgeWith(modelProfile));

/** Lets a model classify requests. The user clarifies those that it cannot classify. */
export const modelClassifier: (options: ModelRoleOptions) => Classifier = guardInput(
  'modelClassifier',
  modelClassifierWith(modelProfile),
);

/** Lets a model review failures, and choose what to leave out of an overfull context. */
export const modelReviewer: (options: ModelRoleOptions) => Reviewer = guardInput(
  'modelReviewer',
  modelReviewerWith(modelProfile),
);

/** A tool that asks a model. It is read-only and goes through the gateway like any other tool. */
export const promptTool: PromptTools = guardInput(
  'promptTool',
  promptToolWith((model) => profileOf(modelProfile, 'promptTool', 'model', model), longestQuestionMs),
);

/** The hash, schema compiler and replay function of every run, for tools that build on them such as the simulator. */
export interface Machinery {
  readonly hash: Hash;
  readonly compileSchema: CompileSchema;
  readonly replay: (pinned: ReplayEnv, frames: readonly Frame[]) => Replayed;
}

export function machinery(): Machinery {
  return { hash: sha256, compileSchema: ajvSchemaCheck().compile, replay: replayRun };
}

function openStore(store: string): Journal {
  const place = parseStore(store);
  if (place.kind === 'memory') return memoryJournal({ hash: sha256 });
  const { file, writer, anchorKey, signedFrames = false } = place;
  const signing = anchorKey === undefined ? {} : { anchorKey: readKeyPair(anchorKey) };
  return sqliteJournal({ path: file, writer, hash: sha256, signedFrames, ...signing });
}

function factsOf(store: string): () => FactsStore {
  const place = parseStore(store);
  if (place.kind === 'memory') {
    const kept = memoryFacts();
    return () => kept;
  }
  return () => sqliteFacts(`${place.file}.facts`);
}
