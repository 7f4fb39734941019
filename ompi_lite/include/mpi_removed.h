/* SPDX-License-Identifier: BSD-3-Clause
 * The functions of MPI-1 that MPI-3.0 removed, each as a call of its successor (MPI-3.0, table 2.1): programs of that age
 * compile and run unchanged, with a warning where the compiler knows how. Included by mpi.h; the library exports none of
 * these names. -DOMPI_LITE_NO_REMOVED leaves them out, for programs that bring their own; a macro of the same name leaves
 * out that one. MPI_LB and MPI_UB have no successor that a call could reach (MPI_Type_create_resized is one of another
 * shape) and stay removed. */
#ifndef OMPI_LITE_MPI_REMOVED_H
#define OMPI_LITE_MPI_REMOVED_H

#ifdef __GNUC__
#define OMPI_LITE_REMOVED __attribute__((deprecated("removed from the standard by MPI-3.0")))
#else
#define OMPI_LITE_REMOVED
#endif

typedef MPI_Comm_errhandler_function MPI_Handler_function;

#ifndef MPI_Address
OMPI_LITE_REMOVED static inline int MPI_Address(void* location, MPI_Aint* address) {
  return MPI_Get_address(location, address);
}
OMPI_LITE_REMOVED static inline int PMPI_Address(void* location, MPI_Aint* address) {
  return PMPI_Get_address(location, address);
}
#endif
#ifndef MPI_Errhandler_create
OMPI_LITE_REMOVED static inline int MPI_Errhandler_create(MPI_Comm_errhandler_function* function,
                                                          MPI_Errhandler* errhandler) {
  return MPI_Comm_create_errhandler(function, errhandler);
}
OMPI_LITE_REMOVED static inline int PMPI_Errhandler_create(MPI_Comm_errhandler_function* function,
                                                           MPI_Errhandler* errhandler) {
  return PMPI_Comm_create_errhandler(function, errhandler);
}
#endif
#ifndef MPI_Errhandler_get
OMPI_LITE_REMOVED static inline int MPI_Errhandler_get(MPI_Comm comm, MPI_Errhandler* errhandler) {
  return MPI_Comm_get_errhandler(comm, errhandler);
}
OMPI_LITE_REMOVED static inline int PMPI_Errhandler_get(MPI_Comm comm, MPI_Errhandler* errhandler) {
  return PMPI_Comm_get_errhandler(comm, errhandler);
}
#endif
#ifndef MPI_Errhandler_set
OMPI_LITE_REMOVED static inline int MPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler errhandler) {
  return MPI_Comm_set_errhandler(comm, errhandler);
}
OMPI_LITE_REMOVED static inline int PMPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler errhandler) {
  return PMPI_Comm_set_errhandler(comm, errhandler);
}
#endif
#ifndef MPI_Type_extent
OMPI_LITE_REMOVED static inline int MPI_Type_extent(MPI_Datatype datatype, MPI_Aint* extent) {
  MPI_Aint lb = 0, extent_from_lb = 0;
  int error = MPI_Type_get_extent(datatype, &lb, &extent_from_lb);
  if (error == MPI_SUCCESS) *extent = extent_from_lb;
  return error;
}
OMPI_LITE_REMOVED static inline int PMPI_Type_extent(MPI_Datatype datatype, MPI_Aint* extent) {
  MPI_Aint lb = 0, extent_from_lb = 0;
  int error = PMPI_Type_get_extent(datatype, &lb, &extent_from_lb);
  if (error == MPI_SUCCESS) *extent = extent_from_lb;
  return error;
}
#endif
#ifndef MPI_Type_hindexed
OMPI_LITE_REMOVED static inline int MPI_Type_hindexed(int count, int array_of_blocklengths[],
                                                      MPI_Aint array_of_displacements[], MPI_Datatype oldtype,
                                                      MPI_Datatype* newtype) {
  return MPI_Type_create_hindexed(count, array_of_blocklengths, array_of_displacements, oldtype, newtype);
}
OMPI_LITE_REMOVED static inline int PMPI_Type_hindexed(int count, int array_of_blocklengths[],
                                                       MPI_Aint array_of_displacements[], MPI_Datatype oldtype,
                                                       MPI_Datatype* newtype) {
  return PMPI_Type_create_hindexed(count, array_of_blocklengths, array_of_displacements, oldtype, newtype);
}
#endif
#ifndef MPI_Type_hvector
OMPI_LITE_REMOVED static inline int MPI_Type_hvector(int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype,
                                                     MPI_Datatype* newtype) {
  return MPI_Type_create_hvector(count, blocklength, stride, oldtype, newtype);
}
OMPI_LITE_REMOVED static inline int PMPI_Type_hvector(int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype,
                                                      MPI_Datatype* newtype) {
  return PMPI_Type_create_hvector(count, blocklength, stride, oldtype, newtype);
}
#endif
#ifndef MPI_Type_lb
OMPI_LITE_REMOVED static inline int MPI_Type_lb(MPI_Datatype datatype, MPI_Aint* displacement) {
  MPI_Aint lb = 0, extent_from_lb = 0;
  int error = MPI_Type_get_extent(datatype, &lb, &extent_from_lb);
  if (error == MPI_SUCCESS) *displacement = lb;
  return error;
}
OMPI_LITE_REMOVED static inline int PMPI_Type_lb(MPI_Datatype datatype, MPI_Aint* displacement) {
  MPI_Aint lb = 0, extent_from_lb = 0;
  int error = PMPI_Type_get_extent(datatype, &lb, &extent_from_lb);
  if (error == MPI_SUCCESS) *displacement = lb;
  return error;
}
#endif
#ifndef MPI_Type_struct
OMPI_LITE_REMOVED static inline int MPI_Type_struct(int count, int array_of_blocklengths[],
                                                    MPI_Aint array_of_displacements[], MPI_Datatype array_of_types[],
                                                    MPI_Datatype* newtype) {
  return MPI_Type_create_struct(count, array_of_blocklengths, array_of_displacements, array_of_types, newtype);
}
OMPI_LITE_REMOVED static inline int PMPI_Type_struct(int count, int array_of_blocklengths[],
                                                     MPI_Aint array_of_displacements[], MPI_Datatype array_of_types[],
                                                     MPI_Datatype* newtype) {
  return PMPI_Type_create_struct(count, array_of_blocklengths, array_of_displacements, array_of_types, newtype);
}
#endif
#ifndef MPI_Type_ub
OMPI_LITE_REMOVED static inline int MPI_Type_ub(MPI_Datatype datatype, MPI_Aint* displacement) {
  MPI_Aint lb = 0, extent_from_lb = 0;
  int error = MPI_Type_get_extent(datatype, &lb, &extent_from_lb);
  if (error == MPI_SUCCESS) *displacement = lb + extent_from_lb;
  return error;
}
OMPI_LITE_REMOVED static inline int PMPI_Type_ub(MPI_Datatype datatype, MPI_Aint* displacement) {
  MPI_Aint lb = 0, extent_from_lb = 0;
  int error = PMPI_Type_get_extent(datatype, &lb, &extent_from_lb);
  if (error == MPI_SUCCESS) *displacement = lb + extent_from_lb;
  return error;
}
#endif

#endif /* OMPI_LITE_MPI_REMOVED_H */
