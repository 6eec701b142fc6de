import { toFailure } from '@shared/errors.ts';
import { errorCodeOf } from '../../lib/files/json-file.ts';

const inTheWay = 'a file, a folder or a link is in its way';
const notAllowed = 'you may not write there';

const reasons: Readonly<Record<string, string>> = {
  EACCES: notAllowed,
  EPERM: notAllowed,
  EROFS: 'its disk can only be read',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full',
  EISDIR: inTheWay,
  ENOTDIR: inTheWay,
  ENOTEMPTY: inTheWay,
  EEXIST: inTheWay,
  ELOOP: inTheWay,
  EBUSY: 'another program uses it',
  ETXTBSY: 'another program uses it',
  ENAMETOOLONG: 'its name is too long for this disk',
  EIO: 'its disk reports an error',
};

/** Why a file was left as it is, without the words and the paths of the system. */
export function plainReason(error: unknown): string {
  return reasons[errorCodeOf(error) ?? ''] ?? toFailure(error).message;
}
