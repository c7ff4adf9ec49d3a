import { resolve } from 'node:path';
import type { Hash } from '../../../model/hash.ts';
import type { Signatures } from '../../../ports/signatures.ts';
import type { StoreTools } from '../../../ports/store-tools.ts';
import { anchorStore, verifyAnchors } from './anchors.ts';
import { backupStore } from './backup.ts';
import { checkStore } from './check.ts';
import { pruneStore } from './prune.ts';

export interface StoreToolParts {
  readonly hash: Hash;
  readonly signatures: Signatures;
  readonly sign: (privateKey: string, text: string) => string;
}

export function sqliteStoreTools({ hash, signatures, sign }: StoreToolParts): StoreTools {
  return {
    check: (file) => checkStore(resolve(file), hash),
    backup: (file, to) => backupStore(resolve(file), resolve(to)),
    prune: (file, options) => pruneStore(resolve(file), options),
    anchor: (file, options) => anchorStore(resolve(file), options, sign),
    verifyAnchors: (file, anchors, publicKey) => verifyAnchors(resolve(file), anchors, publicKey, { hash, signatures }),
  };
}
