/** What is used of the AWS SDK, in a file of its own: it is loaded, in 200 ms, only where artifacts lie in a bucket. */
export {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
export { getSignedUrl } from '@aws-sdk/s3-request-presigner';
export { Upload } from '@aws-sdk/lib-storage';
