import { type Request, type Response, Router } from 'express';
import multer, { MulterError } from 'multer';
import * as z from 'zod';
import type { Actor } from '../../../access/index.ts';
import type { AttachedFile } from '../../../contract/files.ts';
import { AppError } from '../../../errors.ts';
import { allowFormTime, handler, type RateLimit } from '../../../http/index.ts';
import type { FilesFeature } from '../feature.ts';
import type { UploadLimits } from '../library/plan-limits.ts';
import { endGrant, openGrant } from './grants.ts';
import { createRateLimits } from './rate-limits.ts';

const Purpose = z.enum(['chat', 'library']);
/** Fields besides the file. A client that sends only the bytes of a file gives its name here. */
const Fields = z.object({
  purpose: Purpose.optional().catch(undefined),
  name: z.string().min(1).max(1_000).optional().catch(undefined),
});
const FormQuery = z.object({ purpose: Purpose.optional() });
/** Maximum size of the rest of the form's body. */
const FORM_BYTES = 16 * 1024;

/** Turns an uploaded object, named by its key or URL, into a file. */
export type Attach = (
  actor: Actor,
  upload: { uploadURL: string; fileName: string; fileType: string; purpose: 'chat' | 'library' },
) => Promise<AttachedFile>;

/** POST /api/files: a file as the field `file` of a form. It is stored in the object store like every other upload. */
export function formRoutes(
  files: FilesFeature,
  { rateLimit, attach }: { rateLimit: RateLimit; attach: Attach },
): Router {
  const router = Router();
  router.post(
    '/files',
    createRateLimits(rateLimit).forms,
    handler({ query: FormQuery }, async ({ actor, query, req, res }) => {
      // The field `purpose` may follow the file; until then the limit of the library applies.
      const { fileBytes, tooLarge } = await files.limitsFor(actor, query.purpose ?? 'library');
      const length = Number(req.headers['content-length'] ?? fileBytes);
      if (length > fileBytes + FORM_BYTES) throw tooLarge({ name: 'This file' });
      const size = Math.min(length, fileBytes);
      const grant = await openGrant(files, actor, {
        size,
        purpose: query.purpose ?? 'library',
      });
      allowFormTime(req);
      try {
        const storage = files.objects.formStorage(grant.key);
        const file = await receive({ req, res, storage, fileBytes, tooLarge });
        const { purpose = 'library', name = file.originalname } = Fields.parse(req.body ?? {});
        return await attach(actor, {
          uploadURL: grant.key,
          fileName: name,
          fileType: file.mimetype,
          purpose: query.purpose ?? purpose,
        });
      } catch (error) {
        await endGrant(files, grant);
        throw error;
      }
    }),
  );
  return router;
}

interface Form extends Pick<UploadLimits, 'fileBytes' | 'tooLarge'> {
  req: Request;
  res: Response;
  storage: multer.StorageEngine;
}

/** Streams the form's file into the store. @throws AppError too_large, invalid_field, malformed */
async function receive({ req, res, storage, fileBytes, tooLarge }: Form) {
  const limits = {
    fileSize: fileBytes,
    files: 1,
    fields: 5,
    parts: 6,
    fieldSize: 1_000,
    fieldNameSize: 100,
    headerPairs: 20,
  };
  let name = 'This file';
  const fileFilter: multer.Options['fileFilter'] = (_req, file, done) => {
    name = file.originalname;
    done(null, true);
  };
  const read = multer({ storage, limits, fileFilter, defParamCharset: 'utf8' }).single('file');
  try {
    await new Promise<void>((resolve, reject) => {
      read(req, res, (error: unknown) => (error ? reject(error) : resolve()));
    });
  } catch (error) {
    if (error instanceof MulterError && error.code === 'LIMIT_FILE_SIZE') throw tooLarge({ name });
    if (error instanceof MulterError || !req.complete) throw unreadable(error);
    throw error;
  }
  if (!req.file) throw noFile();
  return req.file;
}

const noFile = () =>
  new AppError('invalid_field', "Send one file as the field 'file' of a form.", {
    details: { field: 'file' },
  });

const unreadable = (cause: unknown) =>
  new AppError('malformed', "The form could not be read. Send one file as its field 'file'.", {
    cause,
  });
