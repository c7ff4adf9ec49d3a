/** The program of the thread that copies the log back into the file on request. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { openDatabase } from '../open-database.ts';
import type { CopyOptions, CopyRequest } from './messages.ts';

const { file } = workerData as CopyOptions;
const port = parentPort as MessagePort;
const db = openDatabase(file, { timeout: 0 });
db.exec('pragma synchronous = full');

port.on('message', (request: CopyRequest) => {
  if (request === null) {
    db.close();
    port.close();
    return;
  }
  try {
    db.exec('pragma wal_checkpoint(passive)');
  } catch {
    // Nothing in the log is lost. The next commit that needs the space reports the problem.
  }
});
