import { knownModels } from './adapters/ai-sdk/known-models.ts';
import { ajvSchemaCheck } from './adapters/ajv/ajv-schema-check.ts';
import { memoryJournal } from './adapters/memory/memory-journal.ts';
import { memoryKeys } from './adapters/memory/memory-keys.ts';
import { memoryStore } from './adapters/memory/memory-store.ts';
import { artifactFolder } from './adapters/node/artifact-folder.ts';
import { readPack } from './adapters/node/context-pack.ts';
import { ed25519, newKeyPair, signText } from './adapters/node/ed25519.ts';
import { fileKeys } from './adapters/node/file-keys.ts';
import { gzipArchive } from './adapters/node/gzip-archive.ts';
import { randomIds } from './adapters/node/random-ids.ts';
import { sha256 } from './adapters/node/sha256.ts';
import { systemClock } from './adapters/node/system-clock.ts';
import { systemTimer } from './adapters/node/system-timer.ts';
import { nodeProcess } from './adapters/node/this-process.ts';
import { workspaceFiles } from './adapters/node/workspace-files.ts';
import { sqliteJournal } from './adapters/sqlite/sqlite-journal.ts';
import { sqliteMemory } from './adapters/sqlite/sqlite-memory.ts';
import { sqliteVault } from './adapters/sqlite/sqlite-vault.ts';
import { sqliteStoreTools } from './adapters/sqlite/tools/store-tools.ts';
import type { Ambit } from './facade/ambit.ts';
import { assemble as assembleWith } from './facade/assemble.ts';
import type { Machine } from './facade/machine.ts';
import type { AgentRuntimeOptions, AgentsRuntimeOptions, AmbitOptions } from './facade/options.ts';
import { runtimeOf } from './facade/runtime-of.ts';
import { type PromptTools, promptToolWith } from './gateway/tool/prompt-tool.ts';
import type { CompileSchema } from './kernel/verify/tool-table.ts';
import { readArtifact } from './model/artifact.ts';
import type { ContextPack } from './model/context-pack.ts';
import type { Frame } from './model/frame.ts';
import type { Hash } from './model/hash.ts';
import { parseStore } from './model/store-name.ts';
import type { ArtifactTools } from './ports/artifact-store.ts';
import type { Classifier } from './ports/classifier.ts';
import type { Drafter } from './ports/drafter.ts';
import type { Journal } from './ports/journal.ts';
import type { Judge } from './ports/judge.ts';
import type { KeyTools } from './ports/keys.ts';
import type { MemoryStores } from './ports/memory-store.ts';
import type { Planner } from './ports/planner.ts';
import type { Reviewer } from './ports/reviewer.ts';
import type { StoreTools } from './ports/store-tools.ts';
import type { Vaults } from './ports/vault.ts';
import { type ReplayEnv, type Replayed, replayRun } from './replay/replay.ts';
import { longestQuestionMs } from './roles/desk/longest-question.ts';
import { modelClassifierWith } from './roles/model-classifier.ts';
import { modelDrafterWith } from './roles/model-drafter.ts';
import { type ModelJudgeOptions, modelJudgeWith } from './roles/model-judge.ts';
import { type ModelProfiles, modelProfiles } from './roles/model-profile.ts';
import { modelReviewerWith } from './roles/model-reviewer.ts';
import type { ModelRoleOptions } from './roles/model-role.ts';
import { type PlanFirstOptions, planFirstWith } from './roles/plan-first.ts';
import { profileOf } from './roles/profile-of.ts';
import { type ReactiveOptions, reactiveWith } from './roles/reactive.ts';
import type { HostOptions } from './session/host.ts';

export { decisionsFrom } from './adapters/node/decision-file.ts';

const THIS_MACHINE: Machine = Object.freeze({
  hash: sha256,
  schemas: () => ajvSchemaCheck().compile,
  signatures: ed25519,
  models: knownModels,
  clock: systemClock,
  timer: systemTimer,
  ids: randomIds,
  process: nodeProcess(),
  files: workspaceFiles,
  archive: gzipArchive,
  openStore,
});

/** Puts agents, their tools and a store together. Whatever is wrong with them is said here, before anything runs. */
export function ambit(declared: AmbitOptions | AgentRuntimeOptions | AgentsRuntimeOptions): Ambit {
  return runtimeOf(declared, THIS_MACHINE);
}

/** Everything that a host of one agent is made of, each part checked. */
export function assemble(options: AmbitOptions): HostOptions {
  return assembleWith(options, THIS_MACHINE);
}

/** Keys of the people who decide: where they are kept, and the person's own side of them. */
export const keyTools: KeyTools = { inMemory: memoryKeys, inFile: fileKeys, newPair: newKeyPair, sign: signText };

/** Opens a journal as `store` would, for whoever puts something around it: give it to `world.journal`. */
export const openJournal: (store: NonNullable<AmbitOptions['store']>) => Journal = openStore;

/** Looks after a store file: checks it, copies it, prunes it, anchors its chains. */
export const storeTools: StoreTools = sqliteStoreTools({ hash: sha256, signatures: ed25519, sign: signText });

/** Where memories are kept: for as long as the process lasts, or in a SQLite file of their own. */
export const memoryStores: MemoryStores = { inMemory: () => memoryStore(), inFile: sqliteMemory };

/** Where secret and personal values are kept: for as long as the process lasts, or in a file of their own. */
export const vaults: Vaults = { inMemory: () => sqliteVault(':memory:'), inFile: sqliteVault };

/** Where artifacts of runs are kept by themselves, and how one of them is read where the others are gone. */
export const artifacts: ArtifactTools = {
  inFolder: artifactFolder,
  read: (text) => readArtifact(text, sha256),
};

/** Reads a context pack, or a snapshot, from its folder. */
export const contextPack: (folder: string) => ContextPack = (folder) => readPack(folder, sha256);

/** How a model is used: what planners, judges and the like are given. Prices are those of the table, or your own. */
export const modelProfile: ModelProfiles = modelProfiles(knownModels);

export const planFirst: (options: PlanFirstOptions) => Planner = planFirstWith(modelProfile);

/** A planner that decides one step, sees what came of it, and decides again. */
export const reactive: (options: ReactiveOptions) => Planner = reactiveWith(modelProfile);

/** Has a model write what plans leave open of a call. */
export const modelDrafter: (options: ModelRoleOptions) => Drafter = modelDrafterWith(modelProfile);

/** Has a model judge. What it says is kept word for word and read by the Critic; it can only take trust away. */
export const modelJudge: (options: ModelJudgeOptions) => Judge = modelJudgeWith(modelProfile);

/** Reads what a request is about with a model. Whatever it cannot make out is left to the user. */
export const modelClassifier: (options: ModelRoleOptions) => Classifier = modelClassifierWith(modelProfile);

/** Looks back with a model: at what went wrong, and at what a crowded context may be shown without. */
export const modelReviewer: (options: ModelRoleOptions) => Reviewer = modelReviewerWith(modelProfile);

/** A step that asks a model: a tool like any other, read-only and behind the gateway. */
export const promptTool: PromptTools = promptToolWith(
  (model) => profileOf(modelProfile, 'promptTool', 'model', model),
  longestQuestionMs,
);

/** What every run is hashed, checked and replayed with, for whoever builds on the same: the simulator takes these. */
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
  return sqliteJournal({ path: place.file, writer: place.writer, hash: sha256 });
}
