#ifndef FR_MODEL_NUMBER_JSON_H
#define FR_MODEL_NUMBER_JSON_H
struct json_object;

/* A number as reports write it; NULL, which is JSON's null, where it is not finite. The caller owns
 * it until it is added to an object. */
struct json_object *json_number(double x);

#endif
